// SPDX-License-Identifier: Apache-2.0
#include "cluster/cgroup_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

#include "base/fd.h"
#include "support/fake_cgroups.h"

namespace evictd::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kBurstable =
    "/kubepods/burstable/pod86a66f6e-8c6e-4ee7-8f09-e1e340887540";
constexpr std::string_view kBurstableUid = "86a66f6e-8c6e-4ee7-8f09-e1e340887540";
constexpr std::string_view kGuaranteed = "/kubepods/pod905d8124-e29b-46b8-acbb-3bc4cc407eba";
constexpr std::string_view kGuaranteedUid = "905d8124-e29b-46b8-acbb-3bc4cc407eba";

class TreeOfFakeCgroups : public testing::Test {
 protected:
  /// Makes the tree; the files must be there before.
  [[nodiscard]] CgroupTree tree(PlaceOptions options = {}) const {
    return *CgroupTree::create(root_, *sys::CgroupLayout::detect(root_), std::move(options));
  }
  [[nodiscard]] CgroupTree scanned(PlaceOptions options = {}) const {
    CgroupTree made = tree(std::move(options));
    EXPECT_TRUE(made.scan());
    return made;
  }
  [[nodiscard]] static std::vector<std::string> uids(const CgroupTree& tree) {
    std::vector<std::string> uids;
    for (const PodCgroup* pod : tree.pods()) {
      uids.push_back(pod->uid);
    }
    std::sort(uids.begin(), uids.end());
    return uids;
  }
  [[nodiscard]] CgroupId memory_id(std::string_view path) const {
    const sys::CgroupLayout layout = *sys::CgroupLayout::detect(root_);
    return sys::cgroup_id(root_, layout.memory(), path).value();
  }
  [[nodiscard]] CgroupId pids_id(std::string_view path) const {
    const sys::CgroupLayout layout = *sys::CgroupLayout::detect(root_);
    return sys::cgroup_id(root_, *layout.pids(), path).value();
  }

  test::FakeTree files_;
  sys::Root root_ = *sys::Root::open(files_.path());
};

class V1Tree : public TreeOfFakeCgroups {
 protected:
  V1Tree() {
    test::make_hybrid(files_);
    test::make_v1_cgroup(files_, "/system.slice/sshd.service", "1\n");
    test::make_v1_cgroup(files_, "/kubepods");
    test::make_v1_cgroup(files_, "/kubepods/burstable");
    test::make_v1_cgroup(files_, "/kubepods/besteffort");
  }
  std::string id_ = std::string(64, 'c');
};

TEST_F(V1Tree, FindsPodsOfEveryClassWithTheirIdsInBothHierarchies) {
  test::make_v1_cgroup(files_, kBurstable);
  test::make_v1_cgroup(files_, kGuaranteed);
  const CgroupTree tree = scanned();
  EXPECT_EQ(tree.pod_root(), "/kubepods");
  EXPECT_EQ(tree.pod_root_id(), memory_id("/kubepods"));
  EXPECT_THAT(uids(tree), ElementsAre(kBurstableUid, kGuaranteedUid));
  const PodCgroup* pod = tree.find(kBurstableUid);
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->qos, PathQos::kBurstable);
  EXPECT_EQ(pod->path, kBurstable);
  EXPECT_EQ(pod->memory_id, memory_id(kBurstable));
  EXPECT_EQ(pod->pids_id, pids_id(kBurstable));
  EXPECT_EQ(tree.find(kGuaranteedUid)->qos, PathQos::kGuaranteed);
}

TEST_F(V1Tree, APodOfWhichItCannotBeSaidMayHaveProcesses) {
  test::make_v1_cgroup(files_, kBurstable);
  test::make_v1_cgroup(files_, kGuaranteed);
  const std::string procs = "/sys/fs/cgroup/memory" + std::string(kBurstable) + "/cgroup.procs";
  std::filesystem::remove(files_.real(procs));
  std::filesystem::create_symlink("nowhere", files_.real(procs));
  CgroupTree tree = scanned();
  EXPECT_TRUE(tree.find(kBurstableUid)->populated);
  EXPECT_FALSE(tree.find(kGuaranteedUid)->populated) << "its file is empty";
}

TEST_F(V1Tree, FindsContainersAndWhoLivesThere) {
  test::make_v1_cgroup(files_, kBurstable);
  test::make_v1_cgroup(files_, std::string(kBurstable) + "/" + id_, "77\n");
  test::make_v1_cgroup(files_, std::string(kBurstable) + "/crio-conmon-" + id_);
  test::make_v1_cgroup(files_, kGuaranteed);
  const CgroupTree tree = scanned();
  const PodCgroup* pod = tree.find(kBurstableUid);
  EXPECT_TRUE(pod->populated);
  EXPECT_FALSE(tree.find(kGuaranteedUid)->populated);
  ASSERT_EQ(pod->containers.size(), 1U);
  EXPECT_EQ(pod->containers[0].id, id_);
  EXPECT_EQ(tree.find(pod->containers[0].memory_id), pod);
  EXPECT_EQ(tree.find(memory_id(std::string(kBurstable) + "/crio-conmon-" + id_)), pod);
}

/// Whether a directory itself is opened, which reading it takes.
class OpenedDirectory {
 public:
  explicit OpenedDirectory(const std::filesystem::path& path) {
    EXPECT_GE(inotify_add_watch(watch_.get(), path.c_str(), IN_OPEN | IN_ONLYDIR), 0);
  }
  /// Since the last call.
  [[nodiscard]] bool was_opened() const {
    bool opened = false;
    alignas(inotify_event) std::array<char, 4096> events{};
    for (ssize_t size = 0; (size = read(watch_.get(), events.data(), events.size())) > 0;) {
      for (ssize_t at = 0; at < size;) {
        inotify_event event{};
        std::memcpy(&event, events.data() + at, sizeof event);
        opened = opened || ((event.mask & IN_ISDIR) != 0 && event.len == 0);
        at += static_cast<ssize_t>(sizeof event + event.len);
      }
    }
    return opened;
  }

 private:
  base::Fd watch_{inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
};

TEST_F(V1Tree, ReadsThePodsThatAreAsTheyWereOnlyOnce) {
  test::make_v1_cgroup(files_, std::string(kBurstable) + "/" + id_, "77\n");
  test::make_v1_cgroup(files_, kGuaranteed);
  test::make_v1_cgroup(files_, "/kubepods/besteffort", "78\n");  // in use without a look at pods
  CgroupTree tree = this->tree();
  const OpenedDirectory memory(files_.real("/sys/fs/cgroup/memory" + std::string(kBurstable)));
  const OpenedDirectory pids(files_.real("/sys/fs/cgroup/pids" + std::string(kBurstable)));
  ASSERT_TRUE(tree.scan());
  EXPECT_TRUE(memory.was_opened());
  EXPECT_TRUE(pids.was_opened());
  const PodCgroup before = *tree.find(kBurstableUid);

  files_.write("/sys/fs/cgroup/memory" + std::string(kBurstable) + "/" + id_ + "/cgroup.procs", "");
  EXPECT_THAT(tree.scan().value(), IsEmpty());
  EXPECT_FALSE(memory.was_opened());
  EXPECT_FALSE(pids.was_opened());
  const PodCgroup* pod = tree.find(kBurstableUid);
  EXPECT_TRUE(before.populated);
  EXPECT_FALSE(pod->populated) << "who lives there is looked at each time";
  EXPECT_EQ(pod->memory_id, before.memory_id);
  EXPECT_EQ(pod->pids_id, before.pids_id);
  EXPECT_EQ(pod->containers, before.containers);
}

TEST_F(V1Tree, ReadsAPodAgainInWhichSomethingCameOrTookAPlace) {
  const std::string first = std::string(kBurstable) + "/" + id_;
  const std::string second = std::string(kBurstable) + "/" + std::string(64, 'd');
  test::make_v1_cgroup(files_, first);
  CgroupTree tree = scanned();

  test::make_v1_cgroup(files_, second);
  EXPECT_THAT(tree.scan().value(), ElementsAre(kBurstableUid));
  EXPECT_EQ(tree.find(kBurstableUid)->containers.size(), 2U);

  // As many directories as before.
  for (const std::string_view hierarchy : {"/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids"}) {
    files_.rename(std::string(hierarchy) + first, std::string(hierarchy) + first + "e");
  }
  const std::string third = std::string(kBurstable) + "/" + std::string(64, 'e');
  test::make_v1_cgroup(files_, third);
  files_.remove("/sys/fs/cgroup/memory" + first + "e");
  EXPECT_THAT(tree.scan().value(), ElementsAre(kBurstableUid));
  const std::vector<ContainerCgroup>& containers = tree.find(kBurstableUid)->containers;
  ASSERT_EQ(containers.size(), 2U);
  EXPECT_EQ(containers[0].path, second);
  EXPECT_EQ(containers[1].path, third);
  EXPECT_EQ(containers[1].memory_id, memory_id(third));
}

TEST_F(V1Tree, ReadsAPodAgainWhoseContainerWasMadeAnew) {
  const std::string container = std::string(kBurstable) + "/" + id_;
  test::make_v1_cgroup(files_, container);
  test::make_v1_cgroup(files_, "/kubepods/besteffort", "78\n");
  CgroupTree tree = scanned();
  const CgroupId before = memory_id(container);

  // Another inode while the first one is still there.
  files_.rename("/sys/fs/cgroup/memory" + container, "/sys/fs/cgroup/memory/aside");
  test::make_v1_cgroup(files_, container);
  const OpenedDirectory memory(files_.real("/sys/fs/cgroup/memory" + std::string(kBurstable)));
  EXPECT_THAT(tree.scan().value(), ElementsAre(kBurstableUid));
  EXPECT_TRUE(memory.was_opened()) << "of the one before it is not known how long it was there";
  ASSERT_EQ(tree.find(kBurstableUid)->containers.size(), 1U);
  EXPECT_NE(tree.find(kBurstableUid)->containers[0].memory_id, before);
}

TEST_F(V1Tree, OrdersPodsByCreation) {
  test::make_v1_cgroup(files_, kBurstable);
  test::make_v1_cgroup(files_, kGuaranteed);
  const CgroupTree tree = scanned();
  const std::vector<const PodCgroup*> pods = tree.pods();
  ASSERT_EQ(pods.size(), 2U);
  EXPECT_LT(pods[0]->memory_id, pods[1]->memory_id);
}

TEST_F(V1Tree, HasNoPodsUntilThePodRootAppears) {
  files_.remove("/sys/fs/cgroup/memory/kubepods");
  files_.remove("/sys/fs/cgroup/pids/kubepods");
  CgroupTree tree = scanned();
  EXPECT_EQ(tree.pod_root(), "");
  EXPECT_THAT(uids(tree), IsEmpty());

  test::make_v1_cgroup(files_, kBurstable);
  const TreeAnswer answer = tree.created(memory_id("/kubepods"), memory_id("/"), "kubepods");
  EXPECT_EQ(answer.change, TreeChange::kRootChanged);
  ASSERT_TRUE(tree.scan());
  EXPECT_THAT(uids(tree), ElementsAre(kBurstableUid));
}

TEST_F(V1Tree, LearnsOfANewPodWithoutAScan) {
  CgroupTree tree = scanned();
  test::make_v1_cgroup(files_, kBurstable, "5\n");
  const TreeAnswer answer = tree.created(memory_id(kBurstable), memory_id("/kubepods/burstable"),
                                         "pod86a66f6e-8c6e-4ee7-8f09-e1e340887540");
  EXPECT_EQ(answer.change, TreeChange::kPodAdded);
  EXPECT_EQ(answer.uid, kBurstableUid);
  const PodCgroup* pod = tree.find(kBurstableUid);
  ASSERT_NE(pod, nullptr);
  EXPECT_TRUE(pod->populated);
  EXPECT_EQ(pod->pids_id, pids_id(kBurstable));
}

TEST_F(V1Tree, LearnsOfThePidsCgroupThatComesLater) {
  CgroupTree tree = scanned();
  test::make_v1_cgroup(files_, kBurstable);
  files_.remove("/sys/fs/cgroup/pids" + std::string(kBurstable));
  static_cast<void>(tree.created(memory_id(kBurstable), memory_id("/kubepods/burstable"),
                                 kBurstable.substr(kBurstable.rfind('/') + 1)));
  EXPECT_FALSE(tree.find(kBurstableUid)->pids_id);
  files_.make_directory("/sys/fs/cgroup/pids" + std::string(kBurstable));
  const TreeAnswer answer = tree.created(pids_id(kBurstable), pids_id("/kubepods/burstable"),
                                         kBurstable.substr(kBurstable.rfind('/') + 1));
  EXPECT_EQ(answer.change, TreeChange::kPodChanged);
  EXPECT_EQ(tree.find(kBurstableUid)->pids_id, pids_id(kBurstable));
}

TEST_F(V1Tree, LearnsOfContainersThatComeAndGo) {
  test::make_v1_cgroup(files_, kBurstable);
  CgroupTree tree = scanned();
  const std::string container = std::string(kBurstable) + "/" + id_;
  test::make_v1_cgroup(files_, container);
  const CgroupId id = memory_id(container);
  TreeAnswer answer = tree.created(id, memory_id(kBurstable), id_);
  EXPECT_EQ(answer.change, TreeChange::kContainerAdded);
  EXPECT_EQ(answer.uid, kBurstableUid);
  EXPECT_EQ(tree.find(kBurstableUid)->containers.size(), 1U);

  files_.remove("/sys/fs/cgroup/memory" + container);
  answer = tree.removed(id);
  EXPECT_EQ(answer.change, TreeChange::kContainerRemoved);
  EXPECT_THAT(tree.find(kBurstableUid)->containers, IsEmpty());
}

TEST_F(V1Tree, ReportsWhatContainersMakeInsideAsAChangeOfThePod) {
  const std::string container = std::string(kBurstable) + "/" + id_;
  test::make_v1_cgroup(files_, container);
  CgroupTree tree = scanned();
  test::make_v1_cgroup(files_, container + "/init.scope");
  const CgroupId id = memory_id(container + "/init.scope");
  EXPECT_EQ(tree.created(id, memory_id(container), "init.scope").change, TreeChange::kPodChanged);
  EXPECT_EQ(tree.removed(id).change, TreeChange::kPodChanged);
}

TEST_F(V1Tree, ForgetsAPodThatIsRemoved) {
  test::make_v1_cgroup(files_, kBurstable);
  CgroupTree tree = scanned();
  const CgroupId id = memory_id(kBurstable);
  const TreeAnswer answer = tree.removed(id);
  EXPECT_EQ(answer.change, TreeChange::kPodRemoved);
  EXPECT_EQ(answer.uid, kBurstableUid);
  EXPECT_EQ(tree.find(kBurstableUid), nullptr);
  EXPECT_EQ(tree.find(id), nullptr);
  EXPECT_EQ(tree.removed(id).change, TreeChange::kIrrelevant);
}

TEST_F(V1Tree, IgnoresEventsThatTellNothingNew) {
  test::make_v1_cgroup(files_, kBurstable);
  CgroupTree tree = scanned();
  EXPECT_EQ(tree.created(memory_id(kBurstable), memory_id("/kubepods/burstable"),
                         kBurstable.substr(kBurstable.rfind('/') + 1))
                .change,
            TreeChange::kIrrelevant);
  EXPECT_EQ(tree.created(memory_id("/system.slice"), memory_id("/"), "system.slice").change,
            TreeChange::kIrrelevant);
  EXPECT_EQ(tree.created(memory_id("/system.slice/sshd.service"), memory_id("/system.slice"),
                         "sshd.service")
                .change,
            TreeChange::kIrrelevant);
}

TEST_F(V1Tree, IgnoresACreationThatIsNoLongerTrue) {
  CgroupTree tree = scanned();
  const CgroupId parent = memory_id("/kubepods/burstable");
  EXPECT_EQ(tree.created({4, 99999999}, parent, "podabc").change, TreeChange::kIrrelevant);
  test::make_v1_cgroup(files_, "/kubepods/burstable/podabc");
  EXPECT_EQ(tree.created({4, 99999999}, parent, "podabc").change, TreeChange::kIrrelevant)
      << "another cgroup has the name by now";
  EXPECT_EQ(tree.created({77, 5}, {77, 1}, "podabc").change, TreeChange::kIrrelevant)
      << "a hierarchy that is none of ours";
}

TEST_F(V1Tree, FollowsWhoLivesInAPod) {
  test::make_v1_cgroup(files_, kBurstable);
  CgroupTree tree = scanned();
  const CgroupId id = memory_id(kBurstable);
  EXPECT_EQ(tree.populated_changed(id, true).change, TreeChange::kPodChanged);
  EXPECT_TRUE(tree.find(kBurstableUid)->populated);
  EXPECT_EQ(tree.populated_changed(id, true).change, TreeChange::kIrrelevant);
  EXPECT_EQ(tree.populated_changed(pids_id(kBurstable), false).change, TreeChange::kIrrelevant)
      << "on v1 the memory hierarchy counts";
  EXPECT_TRUE(tree.find(kBurstableUid)->populated);
}

class V1TreeWithALeftover : public V1Tree {
 protected:
  V1TreeWithALeftover() {
    test::make_v1_cgroup(files_, old_);
    tree_.emplace(scanned());
    test::make_v1_cgroup(files_, kBurstable);
    test::make_v1_cgroup(files_, container_);
    old_id_ = memory_id(old_);
    new_id_ = memory_id(kBurstable);
    static_cast<void>(tree_->created(new_id_, memory_id("/kubepods/burstable"),
                                     kBurstable.substr(kBurstable.rfind('/') + 1)));
    static_cast<void>(tree_->created(memory_id(container_), new_id_, id_));
  }
  void live_in_new(std::string_view processes) const {
    files_.write("/sys/fs/cgroup/memory" + container_ + "/cgroup.procs", processes);
  }
  void live_in_old(std::string_view processes) const {
    files_.write("/sys/fs/cgroup/memory" + old_ + "/cgroup.procs", processes);
  }

  std::string old_ = "/kubepods/besteffort/pod" + std::string(kBurstableUid);
  std::string container_ = std::string(kBurstable) + "/" + id_;
  std::optional<CgroupTree> tree_;
  CgroupId old_id_;
  CgroupId new_id_;
};

TEST_F(V1TreeWithALeftover, PopulatedNewCgroupReplacesTheOldWithContainers) {
  EXPECT_EQ(tree_->find(kBurstableUid)->memory_id, old_id_) << "both are empty";
  live_in_new("77\n");

  const TreeAnswer answer = tree_->populated_changed(new_id_, true);

  EXPECT_EQ(answer.change, TreeChange::kPodAdded);
  EXPECT_EQ(answer.uid, kBurstableUid);
  const PodCgroup* pod = tree_->find(kBurstableUid);
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->memory_id, new_id_);
  EXPECT_EQ(pod->pids_id, pids_id(kBurstable));
  EXPECT_EQ(pod->qos, PathQos::kBurstable);
  EXPECT_TRUE(pod->populated);
  ASSERT_EQ(pod->containers.size(), 1U);
  EXPECT_EQ(pod->containers[0].id, id_);
  EXPECT_EQ(tree_->removed(old_id_).change, TreeChange::kIrrelevant) << "it is the leftover's";
  EXPECT_EQ(tree_->find(kBurstableUid)->memory_id, new_id_);
}

TEST_F(V1TreeWithALeftover, KeepsThePlaceThatHasProcessesUntilItHasNone) {
  live_in_old("5\n");
  static_cast<void>(tree_->populated_changed(old_id_, true));
  live_in_new("77\n");
  EXPECT_EQ(tree_->populated_changed(new_id_, true).change, TreeChange::kIrrelevant);
  EXPECT_EQ(tree_->find(kBurstableUid)->memory_id, old_id_);

  live_in_old("");
  EXPECT_EQ(tree_->populated_changed(old_id_, false).change, TreeChange::kPodAdded);

  EXPECT_EQ(tree_->find(kBurstableUid)->memory_id, new_id_);
}

TEST_F(V1TreeWithALeftover, TakesTheOtherPlaceWhenTheLeftoverIsRemoved) {
  files_.remove("/sys/fs/cgroup/memory" + old_);

  EXPECT_EQ(tree_->removed(old_id_).change, TreeChange::kPodAdded);

  ASSERT_NE(tree_->find(kBurstableUid), nullptr);
  EXPECT_EQ(tree_->find(kBurstableUid)->memory_id, new_id_);
}

TEST_F(V1TreeWithALeftover, DoesNotTakeAContainerForThePlaceOfAPod) {
  live_in_new("77\n");
  EXPECT_EQ(tree_->populated_changed(memory_id(container_), true).change, TreeChange::kIrrelevant);
  EXPECT_EQ(tree_->populated_changed(pids_id(kBurstable), true).change, TreeChange::kIrrelevant);
  EXPECT_EQ(tree_->find(kBurstableUid)->memory_id, old_id_);
}

TEST_F(V1Tree, AsksForAScanWhenThePodRootGoes) {
  CgroupTree tree = scanned();
  EXPECT_EQ(tree.removed(tree.pod_root_id()).change, TreeChange::kRootChanged);
  EXPECT_EQ(tree.pod_root(), "");
}

TEST_F(V1Tree, FindsCgroupsOutsideKubernetesByGlob) {
  CgroupTree tree = scanned({"", {}, {{"/system.slice/*.service", "ssh", 3, {}}}});
  EXPECT_THAT(uids(tree), ElementsAre("cgroup:/system.slice/sshd.service"));
  EXPECT_EQ(tree.find("cgroup:/system.slice/sshd.service")->external_rule, 0U);
  test::make_v1_cgroup(files_, "/system.slice/late.service");
  EXPECT_EQ(tree.created(memory_id("/system.slice/late.service"), memory_id("/system.slice"),
                         "late.service")
                .change,
            TreeChange::kPodAdded);
}

TEST_F(V1Tree, PrefersThePodRootThatHasProcesses) {
  const std::string slice =
      "/kubepods.slice/kubepods-pod905d8124_e29b_46b8_acbb_3bc4cc407eba.slice";
  test::make_v1_cgroup(files_, "/kubepods.slice");
  test::make_v1_cgroup(files_, slice, "12\n");
  const CgroupTree tree = scanned();
  EXPECT_EQ(tree.pod_root(), "/kubepods.slice");
  EXPECT_THAT(uids(tree), ElementsAre(kGuaranteedUid));
}

TEST_F(V1Tree, StaysAsItWasWhenAScanFails) {
  test::make_v1_cgroup(files_, kBurstable);
  CgroupTree tree = scanned();
  files_.remove("/sys/fs/cgroup/memory");
  EXPECT_FALSE(tree.scan());
  EXPECT_THAT(uids(tree), ElementsAre(kBurstableUid));
}

TEST_F(V1Tree, TellsOfPodsInWhichAScanFindsOtherCgroupsThanWereKnown) {
  test::make_v1_cgroup(files_, kBurstable);
  test::make_v1_cgroup(files_, std::string(kBurstable) + "/" + id_ + "/nested/deep");
  test::make_v1_cgroup(files_, kGuaranteed);
  CgroupTree tree = this->tree();
  EXPECT_THAT(tree.scan().value(), IsEmpty()) << "all of them are new";
  EXPECT_THAT(tree.scan().value(), IsEmpty()) << "nothing has changed";

  test::make_v1_cgroup(files_, std::string(kBurstable) + "/" + id_ + "/nested/other");
  EXPECT_THAT(tree.scan().value(), ElementsAre(kBurstableUid));
  files_.remove("/sys/fs/cgroup/pids" + std::string(kBurstable) + "/" + id_ + "/nested/deep");
  EXPECT_THAT(tree.scan().value(), ElementsAre(kBurstableUid));
  EXPECT_THAT(tree.scan().value(), IsEmpty());
}

TEST_F(V1Tree, SeesProcessesOfAPodHoweverDeepTheyAre) {
  test::make_v1_cgroup(files_, kBurstable);
  test::make_v1_cgroup(files_, std::string(kBurstable) + "/" + id_ + "/nested", "77\n");
  test::make_v1_cgroup(files_, kGuaranteed, "78\n");
  const CgroupTree tree = scanned();
  EXPECT_TRUE(tree.find(kBurstableUid)->populated);
  EXPECT_TRUE(tree.find(kGuaranteedUid)->populated) << "in its own cgroup";
}

class V2Tree : public TreeOfFakeCgroups {
 protected:
  V2Tree() { test::make_unified(files_); }
};

TEST_F(V2Tree, FindsPodsOfTheSystemdDriver) {
  const std::string slice =
      "/kubepods.slice/kubepods-besteffort.slice/"
      "kubepods-besteffort-pod86a66f6e_8c6e_4ee7_8f09_e1e340887540.slice";
  const std::string id(64, 'b');
  test::make_v2_cgroup(files_, slice, true);
  test::make_v2_cgroup(files_, slice + "/cri-containerd-" + id + ".scope", true);
  const CgroupTree tree = scanned();
  const PodCgroup* pod = tree.find(kBurstableUid);
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->qos, PathQos::kBestEffort);
  EXPECT_EQ(pod->driver, CgroupDriver::kSystemd);
  EXPECT_TRUE(pod->populated);
  EXPECT_EQ(pod->memory_id, pod->pids_id) << "one hierarchy, one id";
  ASSERT_EQ(pod->containers.size(), 1U);
  EXPECT_EQ(pod->containers[0].id, id);
}

TEST_F(V2Tree, FindsPodsBelowAnyCgroupRoot) {
  test::make_v2_cgroup(files_, "/demo-1/kubepods/podabc");
  EXPECT_THAT(uids(scanned({"/demo-1", {}, {}})), ElementsAre("abc"));
  EXPECT_THAT(uids(scanned({"/demo-1/kubepods", {}, {}})), ElementsAre("abc"));
  EXPECT_THAT(uids(scanned()), IsEmpty());
}

}  // namespace
}  // namespace evictd::cluster
