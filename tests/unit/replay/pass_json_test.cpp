// SPDX-License-Identifier: Apache-2.0
#include "replay/pass_json.h"

#include <gtest/gtest.h>

namespace evictd::replay {
namespace {

using exporting::JsonFields;

eviction::PassState full_state() {
  eviction::PassState state;
  state.conditions.add(eviction::Condition::kPidPressure);
  state.conditions_last_observed[1] = MonoTime(Duration(5));
  state.first_observed[63] = MonoTime(Duration(6));
  state.past_grace.add(63);
  state.past_grace.add(2);
  state.last_observations[eviction::Signal::kNodeFsInodesFree] =
      eviction::Observation{.available = -7, .capacity = 8, .time = std::nullopt};
  state.last_observations[eviction::Signal::kMemoryAvailable] = eviction::Observation{
      .available = 5, .capacity = 8, .time = MonoTime(Duration(4)), .kernel_available = 3};
  state.unchanged_since[3] = MonoTime(Duration(12));
  state.layout = eviction::DiskLayout{.dedicated_image_fs = true, .split_container_fs = false};
  state.watch_points_refreshed_at = MonoTime(Duration(9));
  state.last_evictions[2] = eviction::EvictionMark{.at = MonoTime(Duration(10)), .available = 11};
  return state;
}

TEST(PassJson, AStateReadsBackAsEqual) {
  const Json json = to_json(full_state());
  std::optional<Error> failure;
  const eviction::PassState read = state_from_json(JsonFields(json, "", failure));
  ASSERT_FALSE(failure) << failure->message();
  EXPECT_EQ(read, full_state());
}

TEST(PassJson, APodReadsBackAsEqual) {
  RecordedPod pod;
  pod.number = 3;
  pod.name = "p";
  pod.labels = {{"app", "web"}, {"tier", ""}};
  pod.facts.priority = -5;
  pod.facts.memory_request_nanos = eviction::Wide{1} << 100;
  pod.facts.inode_request_nanos = 7;
  pod.facts.termination_grace_seconds = 30;
  pod.spec.emplace();
  eviction::Container container;
  container.name = "c";
  container.limits["ephemeral-storage"] = eviction::Quantity::parse("10Mi").value();
  pod.spec->containers.push_back(container);
  eviction::Volume volume;
  volume.name = "v";
  volume.empty_dir = eviction::EmptyDir{.medium = "Memory",
                                        .size_limit = eviction::Quantity::parse("1Gi").value()};
  pod.spec->volumes.push_back(volume);
  const Json json = to_json(pod);
  std::optional<Error> failure;
  const RecordedPod read = pod_from_json(JsonFields(json, "", failure));
  ASSERT_FALSE(failure) << failure->message();
  EXPECT_EQ(read.facts, pod.facts);
  EXPECT_EQ(to_json(read).dump(), json.dump());
}

TEST(PassJson, APassReadsBackAsTheSameBytes) {
  RecordedPass pass;
  pass.now = MonoTime(Duration(77));
  pass.missed = 2;
  pass.trigger = "disk";
  pass.cadence = eviction::Cadence::kEventOnly;
  pass.before = full_state();
  pass.waiting_before.emplace();
  pass.waiting_before->threshold = 63;
  pass.waiting_before->met.add(63);
  pass.waiting_before->actionable.add(2);
  pass.dry_run = true;
  pass.local_signalled = {0};
  pass.observations.emplace();
  RecordedPodPass pod;
  pod.number = 1;
  pod.reading.state = eviction::ReadingState::kAbsent;
  pod.reading.disk.log_bytes = eviction::Wide{1} << 70;
  pod.statistics.emplace();
  pod.statistics->containers.push_back(
      {.name = "c", .working_set_bytes = 4, .rootfs = eviction::StorageUse{5, 6}, .logs = {}});
  pod.statistics->volumes.push_back({.name = "v", .use = {7, std::nullopt}});
  pod.disk_count = eviction::DiskCount::kPart;
  pass.pods.push_back(pod);
  pass.disk_progress = eviction::DiskProgress::kTimeIsUp;
  pass.releasing.push_back({.killed_at = MonoTime(Duration(3)),
                            .memory = Bytes{1},
                            .tasks = 2,
                            .disk = Bytes{3},
                            .inodes = 4});
  pass.releasing.push_back({.killed_at = MonoTime(Duration(5)),
                            .memory = Bytes{1},
                            .tasks = 0,
                            .disk = Bytes{0},
                            .inodes = 0,
                            .below_pod_root = false});
  pass.brakes.emplace();
  pass.brakes->recent = {MonoTime(Duration(1)), MonoTime(Duration(2))};
  pass.brakes->brakes.pauses.by_signal[1] = MonoTime(Duration(3));
  pass.decision = to_json(eviction::Decision{});
  pass.state = to_json(full_state());
  const Json json = to_json(pass);
  std::optional<Error> failure;
  const RecordedPass read = pass_from_json(JsonFields(json, "", failure));
  ASSERT_FALSE(failure) << failure->message();
  EXPECT_EQ(to_json(read).dump(), json.dump());
  EXPECT_EQ(read.disk_progress, eviction::DiskProgress::kTimeIsUp);
  EXPECT_EQ(read.pods.at(0).disk_count, eviction::DiskCount::kPart);
  ASSERT_EQ(read.releasing.size(), 2U);
  EXPECT_TRUE(read.releasing[0].below_pod_root);
  EXPECT_FALSE(read.releasing[1].below_pod_root);
}

TEST(PassJson, OneReleaseStoodForBothScopesBeforeTheyWereToldApart) {
  RecordedPass pass;
  pass.brakes.emplace();
  pass.brakes->brakes.released_at = MonoTime(Duration(7));
  pass.decision = to_json(eviction::Decision{});
  pass.state = to_json(full_state());
  Json json = to_json(pass);
  const auto below = [&] {
    std::optional<Error> failure;
    const RecordedPass read = pass_from_json(JsonFields(json, "", failure));
    EXPECT_FALSE(failure) << failure->message();
    return read.brakes ? read.brakes->brakes.released_below_pod_root_at : std::nullopt;
  };
  EXPECT_EQ(below(), std::nullopt) << "only outside the pod root";
  json["brakes"].erase("released_below_pod_root_at");
  EXPECT_EQ(below(), MonoTime(Duration(7)));
}

TEST(PassJson, NumbersThatWouldOverflowAPassAreRefused) {
  Json json = to_json(full_state());
  json["watch_points_refreshed_at"] = std::numeric_limits<std::int64_t>::max();
  std::optional<Error> failure;
  static_cast<void>(state_from_json(JsonFields(json, "before", failure)));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->message().find("before.watch_points_refreshed_at: not from 0 to"), 0U)
      << failure->message();
}

}  // namespace
}  // namespace evictd::replay
