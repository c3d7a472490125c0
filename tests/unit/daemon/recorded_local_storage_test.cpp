// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/record_builder.h"

#include <gtest/gtest.h>

#include "recorded_pass.h"

namespace evictd::daemon {
namespace {

/// An eviction of the pod "hog", whose volume "data" is larger than its limit.
class RecordedLocalEviction : public RecordedEviction {
 protected:
  RecordedLocalEviction() {
    eviction::Volume& volume = storage_.description.volumes.emplace_back();
    volume.name = "data";
    volume.empty_dir.emplace().size_limit = eviction::Quantity::parse("4Mi").value();
    storage_.statistics.volumes.push_back(
        {.name = "data", .use = {.bytes = (9_MiB).value, .inodes = 3}});
    storage_.measured_at = kPassAt - std::chrono::microseconds(120);
    storage_.method = disk::StorageMethod::kWalk;
    storage_.breaches = true;
    copy_.memory.swap_aware = true;
    begun_.victim = hog_;
    begun_.storage = &storage_;
    begun_.breach = {.limit = eviction::LocalLimit::kEmptyDir, .place = 0};
    begun_.grace = std::chrono::seconds(1);
    begun_.timeline.observe_at = kPassAt;
    begun_.evictions_last_minute = 1;
  }

  HotStorage storage_;
  LocalEvictionBegun begun_;
};

TEST_F(RecordedLocalEviction, SaysWhatWasMeasuredAgainstTheLimit) {
  const auto record = make_record(begun_, {.thresholds = thresholds_});
  EXPECT_EQ(record.local_limit, "emptydirfs.limit");
  ASSERT_TRUE(record.local_storage);
  EXPECT_EQ(record.local_storage->what, "volume");
  EXPECT_EQ(record.local_storage->name, "data");
  EXPECT_EQ(record.local_storage->used_bytes, (9_MiB).value);
  EXPECT_EQ(record.local_storage->limit_bytes, (4_MiB).value);
  EXPECT_EQ(record.local_storage->age_us, 120);
  EXPECT_EQ(record.local_storage->method, "walk");
  EXPECT_TRUE(record.local_storage->complete);
  EXPECT_EQ(record.message, "Usage of EmptyDir volume \"data\" exceeds the limit \"4Mi\". ");
  EXPECT_EQ(record.evictions_last_minute, 1U) << "this one included";
}

TEST_F(RecordedLocalEviction, SaysWhatElseItsPassSaw) {
  const auto record = make_record(begun_, {.thresholds = thresholds_, .pass = &copy_});
  ASSERT_EQ(record.observations.size(), 1U);
  EXPECT_EQ(record.observations[0].available, (60_MiB).value);
  EXPECT_EQ(record.thresholds.size(), 2U);
  EXPECT_EQ(record.memory_available_source, "kubelet");
  EXPECT_TRUE(record.swap_aware);
  EXPECT_EQ(record.signal, "") << "no threshold chose it";
}

/// Pods of a pass beside their limits on local storage; "hog" exceeds one.
class LocalLimits : public RecordedLocalEviction {
 protected:
  LocalLimits() {
    limit(*hog_, 0);
    exceed(0);
  }

  /// The pod at `place` has a limit and was measured.
  void limit(HotPod& pod, std::size_t place) {
    pod.facts.has_local_limits = true;
    copy_.pods[place].storage_at = kPassAt - std::chrono::microseconds(120);
    copy_.pods[place].storage_method = disk::StorageMethod::kWalk;
  }
  void exceed(std::size_t place) {
    copy_.pods[place].pass.pod = &storage_.description;
    copy_.pods[place].pass.statistics = &storage_.statistics;
  }
  [[nodiscard]] std::vector<exporting::RecordedLocalCandidate> candidates() const {
    return make_local_candidates(copy_, eviction::Compat::k1_32, kPassAt);
  }
};

TEST_F(LocalLimits, ProtectedPodOverItsLimitIsRecordedWithTheRule) {
  hog_->facts.is_critical = true;
  hog_->facts.is_static = true;
  const auto listed = candidates();
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].name, "hog");
  EXPECT_EQ(listed[0].local_limit, "emptydirfs.limit");
  ASSERT_TRUE(listed[0].storage);
  EXPECT_EQ(listed[0].storage->used_bytes, (9_MiB).value);
  EXPECT_EQ(listed[0].passed_over, "static");
  EXPECT_EQ(listed[0].reason, "protected: static pod");
  EXPECT_EQ(spared_for_local_storage(listed),
            std::vector<std::string>{"uid-hog emptydirfs.limit static"});
}

TEST_F(LocalLimits, OtherPodsSayWhetherTheyHaveALimitAndKeepIt) {
  add({.name = "free"});
  limit(add({.name = "within"}), 2);
  add({.name = "unmeasured"}).facts.has_local_limits = true;
  copy_.local_signalled = {0};
  const auto record = make_record(begun_, {.thresholds = thresholds_, .pass = &copy_});
  const auto& listed = record.local_candidates;
  ASSERT_EQ(listed.size(), 4U);
  EXPECT_EQ(listed[0].passed_over, "") << "the victim";
  EXPECT_EQ(listed[1].passed_over, "no_limits");
  EXPECT_EQ(listed[2].passed_over, "within_limits");
  EXPECT_EQ(listed[2].reason, "it exceeded no limit on local storage");
  EXPECT_FALSE(listed[2].storage);
  EXPECT_EQ(listed[3].passed_over, "not_measured");
  EXPECT_TRUE(spared_for_local_storage(listed).empty());
}

TEST_F(LocalLimits, WhomABrakeSparesIsToldByItsName) {
  copy_.decision.reason = eviction::Reason::kPaused;
  EXPECT_EQ(candidates()[0].passed_over, "paused");
}

TEST_F(LocalLimits, AVictimInItsGraceIsNotSpared) {
  copy_.pods[0].pass.standing = eviction::Standing::kInHardGrace;
  EXPECT_EQ(candidates()[0].passed_over, "killed");
  EXPECT_TRUE(spared_for_local_storage(candidates()).empty());
}

TEST_F(LocalLimits, RefusedPodIsShownAsRefusedAndNotReportedAgain) {
  copy_.pods[0].pass.standing = eviction::Standing::kRefused;
  EXPECT_EQ(candidates()[0].passed_over, "refused");
  EXPECT_TRUE(spared_for_local_storage(candidates()).empty());
}

TEST_F(LocalLimits, WhereNobodyExceedsOneNobodyIsListed) {
  copy_.pods[0].pass.pod = nullptr;
  copy_.pods[0].pass.statistics = nullptr;
  EXPECT_TRUE(candidates().empty());
}

}  // namespace
}  // namespace evictd::daemon
