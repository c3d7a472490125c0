// SPDX-License-Identifier: Apache-2.0
// What is done about rows that do not show their cgroup, with the kernel side itself.
#include "daemon/pods/row_keeper.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/system_clock.h"
#include "daemon/hot/readings.h"
#include "pod_registry_on_a_tree.h"
#include "probe/probe.h"
#include "stage/text_file.h"
#include "support/sleeping_child.h"
#include "support/tasks.h"
#include "sys/node_files.h"

namespace evictd::daemon {
namespace {

/// Calls of find_lost_rows() within which a row must be back: twice the longest pause.
constexpr int kManyLooks = 40;
constexpr int kOne = test::kTasksOfAForkedProcess;

class RowKeeperOnATree : public PodRegistryOnATree {
 protected:
  void TearDown() override {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    keeper_.reset();
    hot_.clear();
    registry_.reset();
  }

  /// A pod with one process in it.
  stage::StagedPod add_running_pod(const std::string& name) {
    stage::StagedPod pod = add_pod(name);
    children_.push_back(test::start_sleeping_child());
    EXPECT_TRUE(tree_->enter(pod, children_.back()));
    return pod;
  }

  /// The registry and what keeps its rows, on everything that was added.
  void keep_rows() {
    Result<std::unique_ptr<probe::Probe>> probe = probe::Probe::load({});
    ASSERT_TRUE(probe) << probe.error().message();
    probe_ = std::move(*probe);
    start();
    ASSERT_TRUE(registry_->attach(*probe_));
    take(registry_->rescan());
    make_keeper();
  }
  void keep_files_alone() {
    start();
    take(registry_->rescan());
    make_keeper();
  }

  CgroupUsage row_of(std::uint32_t slot) {
    EXPECT_TRUE(probe_->refresh());
    return probe_->row(slot);
  }

  /// Makes the row of `slot` that of the cgroup `path`, as a wrong address would.
  void show_instead(std::uint32_t slot, const std::filesystem::path& path) {
    const sys::CgroupLayout& layout = registry_->tree().layout();
    const auto open = [&](const sys::Hierarchy& hierarchy) {
      return root_->open_file(hierarchy.path_of(path.string()), O_RDONLY | O_DIRECTORY).value();
    };
    ASSERT_TRUE(layout.pids());
    const base::Fd memory = open(layout.memory());
    const base::Fd pids = open(*layout.pids());
    ASSERT_TRUE(probe_->watch(
        slot, {.memory = sys::cgroup_id(*root_, layout.memory(), path.string()).value(),
               .pids = sys::cgroup_id(*root_, *layout.pids(), path.string()).value(),
               .memory_fd = memory.get(),
               .pids_fd = pids.get()}));
  }

  /// The log of one check.
  std::string check() {
    testing::internal::CaptureStderr();
    keeper_->check(clock_.now());
    return testing::internal::GetCapturedStderr();
  }

  template <typename T>
  [[nodiscard]] std::ptrdiff_t sent() const {
    return std::count_if(sent_.begin(), sent_.end(),
                         [](const ToHot& one) { return std::holds_alternative<T>(one); });
  }
  [[nodiscard]] std::uint64_t disagreements() const {
    return keeper_->cross_checker()->counters().disagreements;
  }
  /// Whether the files that the hot thread has of `pod` can be read.
  [[nodiscard]] bool reads_files_of(const stage::StagedPod& pod) const {
    // As the hot thread does.
    return Readings(Readings::Options{})
        .read_one(*hot_.at(slot_of(pod).value()), clock_.now())
        .has_memory();
  }

  base::SystemClock clock_;
  base::Log log_{{}, clock_};
  std::unique_ptr<probe::Probe> probe_;
  std::unique_ptr<RowKeeper> keeper_;
  base::Lender loans_;
  std::vector<ToHot> sent_;
  std::vector<std::string> told_;
  int thresholds_watched_ = 0;

 private:
  void make_keeper() {
    keeper_ = std::make_unique<RowKeeper>(RowKeeper::Options{
        .probe = probe_.get(),
        .registry = registry_.get(),
        .log = &log_,
        .loans = &loans_,
        .send = [this](ToHot&& message) { sent_.push_back(std::move(message)); },
        .send_updates = [this](std::vector<PodUpdate> updates) { take(std::move(updates)); },
        .watch_thresholds = [this] { ++thresholds_watched_; },
        .on_disagreement = [this](const std::string& text) { told_.push_back(text); }});
  }

  std::vector<pid_t> children_;
};

TEST_F(RowKeeperOnATree, WrongRowIsReportedAtTheSecondCheckAndFoundAgain) {
  const stage::StagedPod pod = add_running_pod("one");
  add_running_pod("another");
  keep_rows();
  const std::uint32_t slot = slot_of(pod).value();
  show_instead(slot, pod.pod.parent_path());  // With the processes of both.
  ASSERT_EQ(row_of(slot).tasks, 2 * kOne);

  check();
  EXPECT_EQ(disagreements(), 0U) << "one check alone may be put off by what the kernel moves";
  EXPECT_TRUE(sent_.empty());
  const std::string log = check();

  EXPECT_GE(disagreements(), 1U);
  EXPECT_THAT(log, testing::HasSubstr("kernel side and files disagree: tasks of pod " + pod.uid +
                                      " differs by " + std::to_string(kOne) +
                                      ", more than its bound of 0"));
  EXPECT_EQ(told_.size(), 1U) << "once a check";
  EXPECT_EQ(sent<Resync>(), 1);
  EXPECT_EQ(thresholds_watched_, 0) << "none is of a pod";
  EXPECT_EQ(row_of(slot).tasks, kOne) << "the same wrong address was read again";
  EXPECT_EQ(registry_->counters().watched_anew, 1U);
  EXPECT_THAT(check(), testing::Not(testing::HasSubstr("tasks of pod")));
}

TEST_F(RowKeeperOnATree, AWrongRowOfThePodRootHasTheThresholdsFoundAnewToo) {
  const stage::StagedPod pod = add_running_pod("one");
  add_running_pod("another");
  keep_rows();
  show_instead(kPodRootSlot, pod.pod);
  ASSERT_EQ(row_of(kPodRootSlot).tasks, kOne);

  check();
  const std::string log = check();

  EXPECT_THAT(log, testing::HasSubstr("tasks of the pod root differs by " + std::to_string(kOne)));
  EXPECT_EQ(row_of(kPodRootSlot).tasks, 2 * kOne);
  EXPECT_EQ(thresholds_watched_, 1);
  EXPECT_EQ(sent<EngineNews>(), 1);
  EXPECT_EQ(sent<UsePodRootFiles>(), 1);
  EXPECT_EQ(sent<Resync>(), 1);
}

TEST_F(RowKeeperOnATree, NothingIsDoneWhereRowsShowWhatIsThere) {
  const stage::StagedPod pod = add_running_pod("one");
  keep_rows();
  keeper_->find_lost_rows();
  check();
  check();
  EXPECT_EQ(row_of(slot_of(pod).value()).tasks, kOne);
  EXPECT_EQ(registry_->counters().watched_anew, 0U);
  EXPECT_EQ(thresholds_watched_, 0);
  EXPECT_EQ(sent<EngineNews>(), 0);
}

// The files of a pod that the hot thread has can be read by nobody who is not named there.
static_assert(!std::is_default_constructible_v<HotFiles::Key>);
static_assert(!std::is_aggregate_v<HotFiles::Key>);

TEST_F(RowKeeperOnATree, ReadsThroughNoDescriptorOfTheHotThread) {
  const stage::StagedPod pod = add_running_pod("one");
  keep_rows();
  const base::Fd wrong(::memfd_create("wrong", MFD_CLOEXEC));
  ASSERT_EQ(::pwrite(wrong.get(), "123456789012345\n", 16, 0), 16);
  const int kept = hot_.at(slot_of(pod).value())->files.usage_fd();
  ASSERT_EQ(::dup3(wrong.get(), kept, O_CLOEXEC), kept);

  check();
  EXPECT_THAT(check(), testing::Not(testing::HasSubstr("disagree")));
  EXPECT_EQ(disagreements(), 0U);
}

TEST_F(RowKeeperOnATree, PassReadsPodRootFilesWhenItsRowIsEmpty) {
  add_running_pod("one");
  keep_rows();
  Readings readings({.table = probe_.get(),
                     .node_files = sys::NodeFiles::open(*root_, registry_->tree().layout()).value(),
                     .pod_root_files = registry_->open_pod_root_files().value(),
                     .filesystems = nullptr});
  PodSlots nobody;
  const auto source_in_pass = [&](bool limits) {
    readings.read({.source = ReadingSource::kTable,
                   .limits = limits,
                   .pid_source = config::PidAvailableSource::kNode,
                   .memory = {},
                   .disk = {}},
                  nobody, {}, clock_.now());
    return readings.pod_root().source;
  };
  ASSERT_EQ(source_in_pass(true), UsageSource::kBpfTable);
  ASSERT_EQ(source_in_pass(false), UsageSource::kBpfTable);

  ASSERT_TRUE(probe_->unwatch(kPodRootSlot));
  EXPECT_EQ(source_in_pass(false), UsageSource::kCgroupFiles) << "of an earlier pass";
  EXPECT_TRUE(readings.pod_root().has_memory());
}

/// Controllers can be taken from cgroups that stay.
class RowKeeperOnV2 : public RowKeeperOnATree {
 protected:
  void SetUp() override {
    RowKeeperOnATree::SetUp();
    if (tree_ && !tree_->hierarchies().unified()) {
      GTEST_SKIP() << "the memory and pids controllers are not those of cgroup v2 here";
    }
  }

  /// From the pod root and all below it, where `pod` is the only pod.
  [[nodiscard]] bool take_memory_away(const stage::StagedPod& pod) const {
    std::vector<std::filesystem::path> above = above_pod_root_and_below(pod);
    std::reverse(above.begin(), above.end());
    return write_to_all(above, "-memory");
  }
  [[nodiscard]] bool give_memory_back(const stage::StagedPod& pod) const {
    return write_to_all(above_pod_root_and_below(pod), "+memory");
  }

 private:
  /// Whose cgroup.subtree_control decides, from above the pod root down to the pod.
  [[nodiscard]] static std::vector<std::filesystem::path> above_pod_root_and_below(
      const stage::StagedPod& pod) {
    std::vector<std::filesystem::path> all;
    for (std::filesystem::path path = pod.pod; !path.empty(); path = path.parent_path()) {
      all.insert(all.begin(), path);
    }
    return all;
  }
  [[nodiscard]] bool write_to_all(const std::vector<std::filesystem::path>& all,
                                  const std::string& text) const {
    return std::all_of(all.begin(), all.end(), [&](const std::filesystem::path& path) {
      const std::filesystem::path file =
          tree_->hierarchies().memory / path / "cgroup.subtree_control";
      return stage::write_kernel_file(file, text).has_value();
    });
  }
};

TEST_F(RowKeeperOnV2, RowsAndFilesFollowAControllerTakenAndGivenBack) {
  const stage::StagedPod pod = add_running_pod("one");
  keep_rows();
  const std::uint32_t slot = slot_of(pod).value();
  ASSERT_TRUE(row_of(slot).has_memory());
  ASSERT_TRUE(reads_files_of(pod));

  ASSERT_TRUE(take_memory_away(pod));
  EXPECT_FALSE(row_of(slot).has_memory());
  EXPECT_FALSE(row_of(kPodRootSlot).has_memory());
  keeper_->find_lost_rows();
  ASSERT_TRUE(give_memory_back(pod));
  const auto all_is_back = [&] {
    return row_of(slot).has_memory() && row_of(kPodRootSlot).has_memory();
  };
  for (int look = 0; look < kManyLooks && !all_is_back(); ++look) {
    keeper_->find_lost_rows();
  }

  EXPECT_TRUE(all_is_back());
  EXPECT_EQ(row_of(slot).tasks, kOne);
  EXPECT_TRUE(reads_files_of(pod)) << "they went with the controller";
  EXPECT_GE(registry_->counters().watched_anew, 2U) << "the pod and the pod root";
  EXPECT_GE(thresholds_watched_, 1);
  EXPECT_GE(sent<UsePodRootFiles>(), 1);
  EXPECT_GE(sent<EngineNews>(), 1);
  EXPECT_GE(sent<Resync>(), 1);
  check();
  check();
  EXPECT_EQ(disagreements(), 0U);
}

TEST_F(RowKeeperOnV2, APodRootWhoseControllersComeAfterItIsReadOnceItHasThem) {
  ASSERT_TRUE(tree_->remove_pod_root());
  keep_rows();
  const std::filesystem::path above =
      tree_->memory_directory().parent_path() / "cgroup.subtree_control";
  ASSERT_TRUE(stage::write_kernel_file(above, "-memory -pids"));
  std::filesystem::create_directory(tree_->memory_directory());
  take(registry_->rescan());
  ASSERT_TRUE(registry_->follow_pod_root());
  keeper_->follow_pod_root();
  keeper_->find_lost_rows();
  EXPECT_FALSE(row_of(kPodRootSlot).has_memory());
  EXPECT_LT(row_of(kPodRootSlot).tasks, 0);

  const auto look_until = [&](const auto& is_back) {
    for (int look = 0; look < kManyLooks && !is_back(); ++look) {
      keeper_->find_lost_rows();
    }
    return is_back();
  };
  sent_.clear();
  ASSERT_TRUE(stage::write_kernel_file(above, "+memory"));
  EXPECT_TRUE(look_until([&] { return row_of(kPodRootSlot).has_memory(); }));
  EXPECT_GE(sent<UsePodRootFiles>(), 1);

  sent_.clear();
  ASSERT_TRUE(stage::write_kernel_file(above, "+pids"));
  EXPECT_TRUE(look_until([&] { return row_of(kPodRootSlot).tasks >= 0; }));
  EXPECT_GE(sent<UsePodRootFiles>(), 1);
}

TEST_F(RowKeeperOnV2, LostControllersFilesAreReopenedWithoutBpfToo) {
  const stage::StagedPod pod = add_running_pod("one");
  keep_files_alone();
  check();
  EXPECT_EQ(sent<UsePodRootFiles>(), 1);
  check();
  EXPECT_EQ(sent_.size(), 1U) << "nothing has gone";
  sent_.clear();

  ASSERT_TRUE(take_memory_away(pod));
  check();
  EXPECT_FALSE(reads_files_of(pod));
  EXPECT_EQ(sent<UsePodRootFiles>(), 0) << "there are none";
  ASSERT_TRUE(give_memory_back(pod));
  check();

  EXPECT_TRUE(reads_files_of(pod));
  EXPECT_EQ(sent<UsePodRootFiles>(), 1);
}

TEST_F(RowKeeperOnV2, WithoutBpfPodGetsFilesOnceItsControllerReturns) {
  const stage::StagedPod pod = add_running_pod("one");
  keep_files_alone();
  ASSERT_TRUE(take_memory_away(pod));
  registry_->queue_reopening(pod.uid);
  take(registry_->apply());
  check();
  EXPECT_FALSE(reads_files_of(pod));
  ASSERT_TRUE(give_memory_back(pod));
  check();
  EXPECT_TRUE(reads_files_of(pod));
}

TEST_F(RowKeeperOnV2, WithoutBpfFilesLostBeforeFirstCheckAreHandedOver) {
  const stage::StagedPod pod = add_running_pod("one");
  keep_files_alone();
  ASSERT_TRUE(take_memory_away(pod));
  check();
  EXPECT_EQ(sent<UsePodRootFiles>(), 0) << "there are none";
  ASSERT_TRUE(give_memory_back(pod));
  check();
  EXPECT_EQ(sent<UsePodRootFiles>(), 1);
}

}  // namespace
}  // namespace evictd::daemon
