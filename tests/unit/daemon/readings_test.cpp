// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot/readings.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "fake_kernel_side.h"
#include "fake_node.h"
#include "unit/engine/moments.h"

namespace evictd::daemon {
namespace {

using eviction::Signal;

constexpr Bytes kInactiveFile{512};

class ReadingsOfFakeNode : public testing::Test {
 protected:
  void read(MonoTime now = kNow,
            config::PidAvailableSource pids = config::PidAvailableSource::kNode) {
    readings_.read({.source = ReadingSource::kFiles,
                    .limits = true,
                    .pid_source = pids,
                    .memory = {},
                    .disk = {}},
                   slots_, {}, now);
  }
  void look_again(std::int64_t amount, Signal signal = Signal::kMemoryAvailable) {
    eviction::Threshold threshold;
    threshold.signal = signal;
    threshold.value.quantity = eviction::Quantity(amount, eviction::QuantityFormat::kBinarySI);
    readings_.look_again(eviction::ThresholdTable::create({threshold}).value(), slots_, kNow);
  }

  FakeNode node_;
  PodSlots slots_;
  Readings readings_{node_.readings()};
};

TEST_F(ReadingsOfFakeNode, SeesMemoryAndTasksOfTheNode) {
  read();
  const auto& memory = readings_.observations()[Signal::kMemoryAvailable];
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->available, (900_MiB).value);
  EXPECT_EQ(memory->capacity, (1000_MiB).value);
  const auto& pids = readings_.observations()[Signal::kPidAvailable];
  ASSERT_TRUE(pids);
  EXPECT_EQ(pids->available, 1000 - 94);
}

TEST_F(ReadingsOfFakeNode, SeesAllocatableMemoryOfThePodRoot) {
  node_.set_usage("", 200_MiB);
  read();
  const auto& memory = readings_.observations()[Signal::kAllocatableMemoryAvailable];
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->available, (300_MiB + kInactiveFile).value);
  EXPECT_EQ(memory->capacity, (500_MiB).value);
}

TEST_F(ReadingsOfFakeNode, CountsTasksInThePodRootWhereThatIsAskedFor) {
  read(kNow, config::PidAvailableSource::kPodRoot);
  const auto& pids = readings_.observations()[Signal::kPidAvailable];
  ASSERT_TRUE(pids);
  EXPECT_EQ(pids->available, 100 - 5);
  EXPECT_EQ(pids->capacity, 100);
}

TEST_F(ReadingsOfFakeNode, AStaticPodThatNoSourceKnowsIsNotRanked) {
  auto unknown = node_.pod(1, "unknown", 1_MiB);
  unknown->state = cluster::PodState::kUnknown;
  unknown->protection = enforce::Protection::kStatic;
  auto known = node_.pod(2, "known", 1_MiB);
  known->protection = enforce::Protection::kStatic;
  slots_.place(1, std::move(unknown));
  slots_.place(2, std::move(known));
  read();
  ASSERT_EQ(readings_.pods().size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(readings_.pods()[i].standing == eviction::Standing::kUnknown,
              readings_.slots()[i] == 1U);
  }
}

TEST_F(ReadingsOfFakeNode, OnlyPodsThatRunTakePart) {
  auto empty = node_.pod(1, "empty", 1_MiB);
  empty->state = cluster::PodState::kEmpty;
  auto terminated = node_.pod(2, "terminated", 1_MiB);
  terminated->state = cluster::PodState::kTerminated;
  node_.set_tasks("empty", 0);
  slots_.place(1, std::move(empty));
  slots_.place(2, std::move(terminated));
  slots_.place(3, node_.pod(3, "running", 7_MiB));
  read();
  ASSERT_EQ(readings_.pods().size(), 1U);
  ASSERT_EQ(readings_.slots().size(), 1U);
  EXPECT_EQ(readings_.slots()[0], 3U);
  EXPECT_EQ(readings_.pods()[0].reading.state, eviction::ReadingState::kRead);
  EXPECT_EQ(readings_.pods()[0].reading.working_set_bytes, (7_MiB - kInactiveFile).value);
  EXPECT_EQ(readings_.pods()[0].reading.processes, 5);
  EXPECT_EQ(readings_.usages()[0].read_at, kNow);
}

/// A pod that was found empty with `left` in it.
std::unique_ptr<HotPod> empty_pod(const FakeNode& node, const CgroupUsage& left) {
  std::unique_ptr<HotPod> empty = node.pod(1, "empty", left.usage);
  empty->state = cluster::PodState::kEmpty;
  empty->remains.note(left);
  return empty;
}

TEST_F(ReadingsOfFakeNode, AnEmptyPodTakesPartAsSoonAsItHasATaskAndNoLonger) {
  CgroupUsage left;
  left.usage = 1_MiB;
  left.tasks = 0;
  slots_.place(1, empty_pod(node_, left));
  node_.set_tasks("empty", 0);
  node_.set_usage("empty", 50_MiB);
  read();
  EXPECT_TRUE(readings_.pods().empty()) << "charges without a task are of nobody in it";

  node_.set_tasks("empty", 1);
  read();
  ASSERT_EQ(readings_.pods().size(), 1U);
  EXPECT_EQ(readings_.pods()[0].standing, eviction::Standing::kActive);
  EXPECT_EQ(readings_.pods()[0].reading.working_set_bytes, (50_MiB - kInactiveFile).value);
  EXPECT_EQ(readings_.pods()[0].reading.processes, 1);

  node_.set_tasks("empty", 0);
  read();
  EXPECT_TRUE(readings_.pods().empty());
}

TEST_F(ReadingsOfFakeNode, TheZombiesThatAnEmptyPodWasFoundWithAreNobody) {
  CgroupUsage left;
  left.usage = 1_MiB;
  left.tasks = 3;
  slots_.place(1, empty_pod(node_, left));
  node_.set_tasks("empty", 3);
  read();
  EXPECT_TRUE(readings_.pods().empty());

  node_.set_tasks("empty", 1);
  read();
  EXPECT_TRUE(readings_.pods().empty()) << "some were reaped";

  node_.set_tasks("empty", 2);
  read();
  EXPECT_EQ(readings_.pods().size(), 1U) << "one more than the dead";
}

TEST_F(ReadingsOfFakeNode, APodWhoseTasksAreNotReadIsInUseWhenItsMemoryGrows) {
  CgroupUsage left;
  left.usage = 1_MiB;
  std::unique_ptr<HotPod> empty = empty_pod(node_, left);
  empty->files = HotFiles(node_.files_without_tasks("empty"));
  slots_.place(1, std::move(empty));
  node_.set_usage("empty", 2_MiB);
  read();
  EXPECT_TRUE(readings_.pods().empty()) << "late charges";

  node_.set_usage("empty", 3_MiB);
  read();
  EXPECT_EQ(readings_.pods().size(), 1U);
}

TEST_F(ReadingsOfFakeNode, APodThatNobodyKnowsStandsAsUnknown) {
  auto unknown = node_.pod(1, "unknown", 1_MiB);
  unknown->state = cluster::PodState::kUnknown;
  unknown->protection = enforce::Protection::kUnknown;
  slots_.place(1, std::move(unknown));
  slots_.place(2, node_.pod(2, "known", 1_MiB));
  read();
  ASSERT_EQ(readings_.pods().size(), 2U);
  EXPECT_EQ(readings_.pods()[0].standing, eviction::Standing::kActive);
  EXPECT_EQ(readings_.pods()[1].standing, eviction::Standing::kUnknown);
}

TEST_F(ReadingsOfFakeNode, GrowthIsMeasuredBetweenTwoReadingsOfAPod) {
  slots_.place(1, node_.pod(1, "a", 10_MiB));
  read(kNow);
  EXPECT_EQ(readings_.usages()[0].rate_bytes_per_second, 0);
  node_.set_usage("a", 14_MiB);
  read(kNow + std::chrono::seconds(2));
  EXPECT_EQ(readings_.usages()[0].rate_bytes_per_second, (2_MiB).value);
}

TEST_F(ReadingsOfFakeNode, ANewPodInASlotDoesNotGrowFromTheOldOnesUsage) {
  slots_.place(1, node_.pod(1, "a", 10_MiB));
  read(kNow);
  auto other = node_.pod(1, "b", 110_MiB);
  other->memory_id.id = 77;
  slots_.place(1, std::move(other));
  read(kNow + std::chrono::seconds(1));
  EXPECT_EQ(readings_.usages()[0].rate_bytes_per_second, 0);
}

TEST_F(ReadingsOfFakeNode, RereadsTopCandidatesOutsidePodRootIfMemoryIsShort) {
  for (std::uint32_t slot = 1; slot <= 3; ++slot) {
    auto pod = node_.pod(slot, std::to_string(slot), Bytes{(10_MiB).value * slot});
    pod->below_pod_root = false;
    pod->facts.below_pod_root = false;
    slots_.place(slot, std::move(pod));
  }
  read();
  for (const char* uid : {"1", "2", "3"}) {
    node_.set_usage(uid, 5_MiB);
  }
  look_again((950_MiB).value);
  // In order: 3, 2, 1; the two that use most are read anew.
  EXPECT_EQ(readings_.usages()[0].usage, 5_MiB);
  EXPECT_EQ(readings_.usages()[1].usage, 5_MiB);
  EXPECT_EQ(readings_.usages()[2].usage, 10_MiB);
  EXPECT_EQ(readings_.pods()[0].reading.working_set_bytes, (5_MiB - kInactiveFile).value);
}

TEST_F(ReadingsOfFakeNode, DoesNotLookAgainAtPodsThatThePodRootsLimitCannotTake) {
  auto pod = node_.pod(1, "outside", 10_MiB);
  pod->below_pod_root = false;
  pod->facts.below_pod_root = false;
  slots_.place(1, std::move(pod));
  read();
  node_.set_usage("outside", 5_MiB);
  look_again((600_MiB).value, Signal::kAllocatableMemoryAvailable);
  EXPECT_EQ(readings_.usages()[0].usage, 10_MiB);
}

TEST_F(ReadingsOfFakeNode, TheFirstCandidateOfThePodRootLiesBelowIt) {
  auto outside = node_.pod(1, "outside", 20_MiB);
  outside->facts.below_pod_root = false;
  slots_.place(1, std::move(outside));
  slots_.place(2, node_.pod(2, "below", 10_MiB));
  read();
  const auto uid_of = [&](std::optional<std::size_t> place) {
    return place ? slots_.at(readings_.slots()[*place])->uid : std::string("nobody");
  };
  EXPECT_EQ(uid_of(readings_.first_candidate(eviction::Scope::kNode)), "outside");
  EXPECT_EQ(uid_of(readings_.first_candidate(eviction::Scope::kPodRoot)), "below");
}

TEST_F(ReadingsOfFakeNode, DoesNotRereadWhatThePodRootsStatisticsRefreshed) {
  slots_.place(1, node_.pod(1, "a", 10_MiB));
  read();
  node_.set_usage("a", 5_MiB);
  look_again((950_MiB).value);
  EXPECT_EQ(readings_.usages()[0].usage, 10_MiB);
}

TEST_F(ReadingsOfFakeNode, ALimitOfPidsThatWasRaisedIsSeenBeforeAnyoneDiesOfIt) {
  read();
  node_.set_max_pid(3000);
  look_again(950, Signal::kPidAvailable);
  EXPECT_EQ(readings_.observations()[Signal::kPidAvailable]->available, 3000 - 94);
}

TEST_F(ReadingsOfFakeNode, DoesNotLookAgainFarFromThresholds) {
  slots_.place(1, node_.pod(1, "a", 10_MiB));
  read();
  node_.set_usage("a", 5_MiB);
  look_again((100_MiB).value);
  EXPECT_EQ(readings_.usages()[0].usage, 10_MiB);
}

/// With a kernel side that reads the node, but no pod.
class ReadingsOfKernelSide : public ReadingsOfFakeNode {
 protected:
  static Readings::Options with(FakeUsageTable& table, Readings::Options options) {
    options.table = &table;
    return options;
  }
  void read_table(bool limits, Bytes at_hand) {
    table_.of_node.usage = 900_MiB;
    table_.of_node.inactive_file = Bytes{0};
    table_.of_node.at_hand = at_hand;
    table_.of_node.tasks = 94;
    of_table_.read({.source = ReadingSource::kTable, .limits = limits, .memory = {}, .disk = {}},
                   slots_, {}, kNow);
  }
  std::optional<std::int64_t> kernel_available() {
    eviction::Threshold threshold;
    threshold.signal = Signal::kMemoryAvailable;
    threshold.value.quantity =
        eviction::Quantity((950_MiB).value, eviction::QuantityFormat::kBinarySI);
    of_table_.look_again(eviction::ThresholdTable::create({threshold}).value(), slots_, kNow);
    return of_table_.observations()[Signal::kMemoryAvailable]->kernel_available;
  }

  FakeUsageTable table_;
  Readings of_table_{with(table_, node_.readings())};
};

TEST_F(ReadingsOfKernelSide, WhatTheKernelCanGiveFollowsWhatIsAtHand) {
  node_.set_mem_available(300_MiB);
  read_table(true, 330_MiB);
  node_.set_mem_available(70_MiB);
  read_table(false, 290_MiB);
  EXPECT_EQ(kernel_available(), (260_MiB).value);
}

TEST_F(ReadingsOfKernelSide, WhatTheKernelCanGiveIsReadWhereItIsLessThanTheSignal) {
  node_.set_mem_available(300_MiB);
  read_table(true, 330_MiB);
  node_.set_mem_available(70_MiB);
  read_table(false, 129_MiB);
  EXPECT_EQ(kernel_available(), (70_MiB).value) << "available is 100 MiB";
}

TEST_F(ReadingsOfKernelSide, WhatTheKernelKeepsIsUnknownWhereItHasNothingToGive) {
  node_.set_mem_available(Bytes{0});
  read_table(true, 30_MiB);
  node_.set_mem_available(150_MiB);
  read_table(false, 290_MiB);
  EXPECT_EQ(kernel_available(), (150_MiB).value);
}

TEST_F(ReadingsOfKernelSide, WhatTheKernelCanGiveIsReadWhereNothingIsKnownAtHand) {
  node_.set_mem_available(100_MiB);
  read_table(true, Bytes{-1});
  node_.set_mem_available(70_MiB);
  read_table(false, 90_MiB);
  EXPECT_EQ(kernel_available(), (70_MiB).value);
}

TEST(ReadingOf, WithoutMemoryIsNotReadYet) {
  EXPECT_EQ(reading_of(CgroupUsage{}).state, eviction::ReadingState::kNotReadYet);
}

TEST(ReadingOf, WithoutAPidsControllerCountsNoProcesses) {
  CgroupUsage usage;
  usage.usage = 3_MiB;
  usage.inactive_file = 1_MiB;
  const eviction::PodReading reading = reading_of(usage);
  EXPECT_EQ(reading.state, eviction::ReadingState::kRead);
  EXPECT_EQ(reading.working_set_bytes, (2_MiB).value);
  EXPECT_EQ(reading.processes, 0);
}

}  // namespace
}  // namespace evictd::daemon
