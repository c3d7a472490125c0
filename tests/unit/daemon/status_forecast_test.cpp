// SPDX-License-Identifier: Apache-2.0
#include "daemon/control/status_forecast.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "fake_kernel_side.h"
#include "recorded_pass.h"

namespace evictd::daemon {
namespace {

using eviction::Signal;

constexpr MonoTime kAsked = kPassAt + std::chrono::seconds(8);

/// The status 8 s after a pass; its threshold is met below 100 MiB.
class StatusForecast : public RecordedPass {
 protected:
  void see(Signal signal, Bytes available, std::optional<Bytes> rate) {
    eviction::Observation seen{
        .available = available.value, .capacity = (4000_MiB).value, .time = kPassAt};
    seen.rate = rate ? std::optional(rate->value) : std::nullopt;
    copy_.observations[signal] = seen;
  }
  /// Rows that are 50 ms old: 400 MiB are left, and 100 MiB of them go in a second.
  void use_newer_rows() {
    rows_.of_pod_root = {.usage = 600_MiB,
                         .inactive_file = 0_MiB,
                         .limit = 1000_MiB,
                         .rate_bytes_per_second = (100_MiB).value,
                         .working_set_rate_bytes_per_second = (100_MiB).value,
                         .read_at = kAsked - std::chrono::milliseconds(50),
                         .source = UsageSource::kBpfTable};
    rows_.of_node.usage = 3600_MiB;
    rows_.of_node.inactive_file = 0_MiB;
    NodeUsage earlier = rows_.of_node;
    earlier.usage = 3400_MiB;
    earlier.read_at = kAsked - std::chrono::milliseconds(2050);
    growth_.see(earlier);
    growth_.see(rows_.of_node);
    rows_.of_node.read_at = kAsked - std::chrono::milliseconds(50);
    table_ = &rows_;
  }
  [[nodiscard]] nlohmann::ordered_json forecast(Signal signal) const {
    eviction::Threshold threshold;
    threshold.signal = signal;
    threshold.value.quantity =
        eviction::Quantity((100_MiB).value, eviction::QuantityFormat::kBinarySI);
    const auto thresholds = eviction::ThresholdTable::create({threshold}).value();
    return forecast_json({.last_pass = &copy_,
                          .table = table_,
                          .growth = &growth_,
                          .pods = growing_,
                          .filesystems = disks_},
                         thresholds, 0, kAsked);
  }

  FakeUsageTable rows_;
  NodeGrowth growth_;
  /// Set to use them.
  const probe::UsageTable* table_ = nullptr;
  std::vector<GrowingPod> growing_;
  std::vector<disk::FilesystemReport> disks_;
};

TEST_F(StatusForecast, OfThePodRootIsFromItsRow) {
  const HotPod& hog = add({.name = "hog"});
  const HotPod& calm = add({.name = "calm"});
  growing_ = {{.pod = &calm, .bytes_per_second = 1000},
              {.pod = &hog, .bytes_per_second = (90_MiB).value}};
  use_newer_rows();
  const auto json = forecast(Signal::kAllocatableMemoryAvailable);
  EXPECT_EQ(json["available"], (400_MiB).value);
  EXPECT_EQ(json["age_ms"], 50);
  EXPECT_EQ(json["rate"], (100_MiB).value);
  EXPECT_EQ(json["time_to_threshold_ms"], 2950);
  EXPECT_EQ(json["because_of"]["namespace"], "test");
  EXPECT_EQ(json["because_of"]["name"], "hog");
  EXPECT_EQ(json["because_of"]["uid"], "uid-hog");
  EXPECT_EQ(json["because_of"]["rate"], (90_MiB).value);
}

TEST_F(StatusForecast, OfTheNodeIsFromTheKernelSide) {
  see(Signal::kMemoryAvailable, 3000_MiB, 1_MiB);
  copy_.node.memory_total = 4000_MiB;
  use_newer_rows();
  const auto json = forecast(Signal::kMemoryAvailable);
  EXPECT_EQ(json["available"], (400_MiB).value);
  EXPECT_EQ(json["rate"], (100_MiB).value);
  EXPECT_EQ(json["time_to_threshold_ms"], 2950);
  EXPECT_TRUE(json["because_of"].is_null());
}

TEST_F(StatusForecast, OfTheNodeNeedsTwoReadings) {
  see(Signal::kMemoryAvailable, 3000_MiB, 1_MiB);
  copy_.node.memory_total = 4000_MiB;
  use_newer_rows();
  growth_ = NodeGrowth();
  EXPECT_TRUE(forecast(Signal::kMemoryAvailable).is_null());
}

TEST_F(StatusForecast, WithoutRowsIsTheLastPassLessItsAge) {
  add({.name = "hog"});
  copy_.pods[0].usage.rate_bytes_per_second = (100_MiB).value;
  growing_ = pods_of(copy_);
  see(Signal::kMemoryAvailable, 1100_MiB, 100_MiB);
  const auto json = forecast(Signal::kMemoryAvailable);
  EXPECT_EQ(json["age_ms"], 8000);
  EXPECT_EQ(json["time_to_threshold_ms"], 2000);
  EXPECT_EQ(json["because_of"]["name"], "hog");
}

TEST_F(StatusForecast, IsZeroOnlyIfTheReadingMeetsIt) {
  see(Signal::kMemoryAvailable, 101_MiB, 100_MiB);
  EXPECT_EQ(forecast(Signal::kMemoryAvailable)["time_to_threshold_ms"], 1) << "due 8 s ago";
  see(Signal::kMemoryAvailable, 99_MiB, 100_MiB);
  EXPECT_EQ(forecast(Signal::kMemoryAvailable)["time_to_threshold_ms"], 0);
}

TEST_F(StatusForecast, OfMemAvailableIsTheLastPass) {
  see(Signal::kMemoryAvailable, 1100_MiB, 100_MiB);
  copy_.memory.source = eviction::MemorySource::kMemAvailable;
  use_newer_rows();
  EXPECT_EQ(forecast(Signal::kMemoryAvailable)["age_ms"], 8000);
}

TEST_F(StatusForecast, APodOutsideIsNoCauseForThePodRoot) {
  HotPod& outside = add({.name = "outside"});
  outside.facts.below_pod_root = false;
  growing_ = {{.pod = &outside, .bytes_per_second = (100_MiB).value}};
  see(Signal::kAllocatableMemoryAvailable, 1100_MiB, 100_MiB);
  see(Signal::kMemoryAvailable, 1100_MiB, 100_MiB);
  EXPECT_TRUE(forecast(Signal::kAllocatableMemoryAvailable)["because_of"].is_null());
  EXPECT_EQ(forecast(Signal::kMemoryAvailable)["because_of"]["name"], "outside");
}

TEST_F(StatusForecast, OfADiskIsFromItsNewestReading) {
  disk::FilesystemReport report;
  report.roles = {disk::Role::kNodeFs};
  report.sampler.reading = disk::FilesystemReading{.available_bytes = (300_MiB).value,
                                                   .capacity_bytes = (1000_MiB).value,
                                                   .bytes_per_second = (20_MiB).value,
                                                   .read_at = kAsked};
  disks_ = {report};
  EXPECT_EQ(forecast(Signal::kNodeFsAvailable)["time_to_threshold_ms"], 10'000);
  EXPECT_TRUE(forecast(Signal::kImageFsAvailable).is_null()) << "on no filesystem";
  EXPECT_TRUE(forecast(Signal::kNodeFsInodesFree).is_null()) << "inodes are made on demand";
  disks_[0].stale = true;
  EXPECT_TRUE(forecast(Signal::kNodeFsAvailable).is_null());
}

TEST_F(StatusForecast, IsNoneOfTasksWhoseRateIsUnknown) {
  see(Signal::kPidAvailable, 200_MiB, std::nullopt);
  EXPECT_TRUE(forecast(Signal::kPidAvailable).is_null());
}

}  // namespace
}  // namespace evictd::daemon
