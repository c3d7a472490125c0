// SPDX-License-Identifier: Apache-2.0
#include "disk/writable_layers.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/fake_tree.h"

namespace evictd::disk {
namespace {

/// A node whose own root is a disk, and containers as containerd and the kubelet make them.
class Layers : public testing::Test {
 protected:
  Layers() { tree_.write("/proc/self/mountinfo", "21 1 259:1 / / rw - ext4 /dev/vda1 rw\n"); }

  /// The cgroup of a container with one process, which has these mounts.
  ContainerPlace container(const std::string& pid, const std::string& mountinfo,
                           const std::string& name = {}) {
    tree_.write("/cg/" + pid + "/cgroup.procs", pid + "\n");
    tree_.write("/proc/" + pid + "/mountinfo", mountinfo);
    return {.cgroup = "/cg/" + pid, .name = name};
  }
  static std::string overlay(const std::string& options) {
    return "600 500 0:51 / / rw,relatime master:9 - overlay overlay " + options + "\n";
  }
  static std::string termination_log(const std::string& name) {
    return "700 600 259:1 /var/lib/kubelet/pods/u1/containers/" + name +
           "/0123abcd /dev/termination-log rw - ext4 /dev/vda1 rw\n";
  }
  [[nodiscard]] WritableLayers find(const std::vector<ContainerPlace>& places) const {
    return find_writable_layers(sys::Root::open(tree_.path()).value(), "u1", places);
  }

  test::FakeTree tree_;
};

TEST_F(Layers, AreTheUpperDirectoriesOfOverlays) {
  const WritableLayers layers = find({container(
      "11", overlay("rw,lowerdir=/l/1:/l/2,upperdir=/snap/7/fs,workdir=/snap/7/work"), "web")});
  ASSERT_EQ(layers.all.size(), 1U);
  EXPECT_EQ(layers.all[0].container, "web");
  EXPECT_EQ(layers.all[0].directory, "/snap/7/fs");
  EXPECT_TRUE(layers.complete);
}

TEST_F(Layers, HaveTheNameThatTheKubeletsMountsTell) {
  const WritableLayers layers =
      find({container("11", overlay("rw,upperdir=/snap/7/fs") + termination_log("web"))});
  ASSERT_EQ(layers.all.size(), 1U);
  EXPECT_EQ(layers.all[0].container, "web");
}

TEST_F(Layers, DoNotCountTheSandboxOfTheKubelet) {
  const WritableLayers layers =
      find({container("10", overlay("rw,upperdir=/snap/6/fs")),
            container("11", overlay("rw,upperdir=/snap/7/fs") + termination_log("web"))});
  ASSERT_EQ(layers.all.size(), 1U);
  EXPECT_EQ(layers.all[0].directory, "/snap/7/fs");
}

TEST_F(Layers, OfTwoMountsAtTheRootTheLastCounts) {
  const WritableLayers layers = find({container(
      "11", "21 1 259:1 / / rw - ext4 /dev/vda1 rw\n" + overlay("rw,upperdir=/snap/7\\040b/fs"))});
  ASSERT_EQ(layers.all.size(), 1U);
  EXPECT_EQ(layers.all[0].directory, "/snap/7 b/fs");
}

TEST_F(Layers, AProcessWithTheRootOfTheNodeHasNone) {
  const WritableLayers layers = find({container("11", "21 1 259:1 / / rw - ext4 /dev/vda1 rw\n")});
  EXPECT_TRUE(layers.all.empty());
  EXPECT_TRUE(layers.complete);
}

TEST_F(Layers, AnOverlayThatIsReadOnlyHasNone) {
  const WritableLayers layers = find({container("11", overlay("ro,lowerdir=/l/1:/l/2"))});
  EXPECT_TRUE(layers.all.empty());
  EXPECT_TRUE(layers.complete);
}

TEST_F(Layers, ARootThatIsNoOverlayIsNotMeasured) {
  const WritableLayers layers =
      find({container("11", "600 500 0:60 /snap/7 / rw - btrfs /dev/vdb rw\n")});
  EXPECT_TRUE(layers.all.empty());
  EXPECT_FALSE(layers.complete);
}

TEST_F(Layers, AContainerWithoutProcessesHasNone) {
  tree_.write("/cg/11/cgroup.procs", "");
  const WritableLayers layers =
      find({{.cgroup = "/cg/11", .name = {}}, {.cgroup = "/cg/gone", .name = {}}});
  EXPECT_TRUE(layers.all.empty());
  EXPECT_TRUE(layers.complete);
}

TEST_F(Layers, OfAContainerWhoseProcessCannotBeLookedAtAreMissing) {
  tree_.write("/cg/11/cgroup.procs", "11\n");
  EXPECT_FALSE(find({{.cgroup = "/cg/11", .name = {}}}).complete);
}

}  // namespace
}  // namespace evictd::disk
