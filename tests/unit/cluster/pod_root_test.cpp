// SPDX-License-Identifier: Apache-2.0
// Which of the places that the pod root may have it is found at.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cluster/cgroup_tree.h"
#include "support/fake_cgroups.h"
#include "support/few_descriptors.h"

namespace evictd::cluster {
namespace {

/// The first place is that of the cgroupfs driver, the second that of the systemd driver.
class PodRootOfFakeCgroups : public testing::Test {
 protected:
  PodRootOfFakeCgroups() { test::make_hybrid(files_); }

  [[nodiscard]] CgroupTree found() const {
    CgroupTree made = *CgroupTree::create(root_, *sys::CgroupLayout::detect(root_), {});
    made.find_root();
    return made;
  }
  /// Nobody can say whether processes are in it.
  void make_unreadable(const std::string& path) const {
    const std::filesystem::path procs =
        files_.real("/sys/fs/cgroup/memory" + path + "/cgroup.procs");
    std::filesystem::remove(procs);
    std::filesystem::create_symlink("nowhere", procs);
  }

  test::FakeTree files_;
  sys::Root root_ = *sys::Root::open(files_.path());
};

TEST_F(PodRootOfFakeCgroups, ThatCannotBeLookedAtStaysWithItsId) {
  test::make_v1_cgroup(files_, "/kubepods", "1\n");
  CgroupTree tree = found();
  const CgroupId id = tree.pod_root_id();
  {
    const test::FewDescriptors none(0);
    EXPECT_EQ(tree.look_for_root(), "/kubepods");
    tree.find_root();
  }
  EXPECT_EQ(tree.pod_root(), "/kubepods");
  EXPECT_EQ(tree.pod_root_id(), id);
}

TEST_F(PodRootOfFakeCgroups, ThatWasRemovedIsGone) {
  test::make_v1_cgroup(files_, "/kubepods", "1\n");
  const CgroupTree tree = found();
  files_.remove("/sys/fs/cgroup/memory/kubepods");
  EXPECT_EQ(tree.look_for_root(), "");
}

TEST_F(PodRootOfFakeCgroups, ThatIsEmptyStaysWhereTheOtherOneIsEmptyToo) {
  test::make_v1_cgroup(files_, "/kubepods.slice");
  const CgroupTree tree = found();
  ASSERT_EQ(tree.pod_root(), "/kubepods.slice");
  test::make_v1_cgroup(files_, "/kubepods");
  EXPECT_EQ(tree.look_for_root(), "/kubepods.slice");
}

TEST_F(PodRootOfFakeCgroups, ThatIsEmptyIsLeftForOneThatHasProcesses) {
  test::make_v1_cgroup(files_, "/kubepods");
  const CgroupTree tree = found();
  test::make_v1_cgroup(files_, "/kubepods.slice", "1\n");
  EXPECT_EQ(tree.look_for_root(), "/kubepods.slice");
}

TEST_F(PodRootOfFakeCgroups, OfWhichItCannotBeSaidMayHaveProcesses) {
  test::make_v1_cgroup(files_, "/kubepods", "1\n");
  const CgroupTree tree = found();
  make_unreadable("/kubepods");
  test::make_v1_cgroup(files_, "/kubepods.slice", "1\n");
  EXPECT_EQ(tree.look_for_root(), "/kubepods");
}

}  // namespace
}  // namespace evictd::cluster
