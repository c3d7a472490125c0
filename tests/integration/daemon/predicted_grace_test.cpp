// SPDX-License-Identifier: Apache-2.0
// A hard grace is given as far as there is time for it.
#include <csignal>

#include "arena.h"
#include "must.h"

namespace evictd::daemon::test {
namespace {

/// The run-up takes two of the windows of 100 ms in which the kernel side measures a rate. Half of
/// the headroom, down to the floor, is gone within a sixth of the grace, so that a hog that was
/// held up for a while is still too fast for all of it.
constexpr std::int64_t kRate = kHeadroom * 3;
constexpr std::int64_t kGraceMs = 1000;
constexpr std::int64_t kMarginMs = 50;

class PredictedGrace : public ArenaBySource {
 protected:
  /// One that ignores SIGTERM and goes on to grow, past the threshold and the floor.
  Actor& add_steady_hog() {
    const stage::StagedPod pod = make_pod({.name = "hog"});
    write_manifest(pod);
    stage::LoadOptions load;
    load.binary = EVICT_LOAD;
    load.directory = scratch_->path();
    load.cap = kRunUp + kHeadroom * 7 / 8;
    load.rate = kRate;
    load.ignore_sigterm = true;
    actors_.push_back({pod, must(stage::LoadProcess::start(*tree_, pod, load))});
    return actors_.back();
  }
  /// With the default grace and floor.
  [[nodiscard]] Json config_with(const Json& more) const {
    Json config = memory_config(GetParam());
    config.erase("hardEvictionGracePeriodSeconds");
    config.update(more);
    return config;
  }
  /// Evicts the hog and answers the record of the choice, which its escalation is none of.
  Json record_of_choice(const Json& config) {
    const Actor& small = add({.name = "small"}, kModest);
    Actor& hog = add_steady_hog();
    limit_memory();
    start_daemon(config);
    hog.load.go();
    const auto end = hog.await_end();
    EXPECT_TRUE(end && end->killed_by(SIGKILL)) << log();
    static_cast<void>(await_record(hog));
    EXPECT_TRUE(small.alive());
    EXPECT_EQ(tree_->oom_kills().value_or(-1), 0);
    for (const Json& record : ask("last_evictions")) {
      if (record["uid"] == hog.pod.uid && record["outcome"] == "evicted") {
        return record;
      }
    }
    throw std::runtime_error("no record of the choice; log: " + log());
  }
};
INSTANTIATE_TEST_SUITE_P(BySource, PredictedGrace,
                         testing::Values(Source::kEvents, Source::kPolling), name_of);

TEST_P(PredictedGrace, EndsBeforeTheFloorIsReached) {
  const Json record = record_of_choice(config_with(Json::object()));

  EXPECT_EQ(record["grace_wanted"], kGraceMs);
  ASSERT_TRUE(record["time_left"].is_number()) << record.dump(1);
  const auto left = record["time_left"].get<std::int64_t>();
  EXPECT_LT(left, kGraceMs);
  EXPECT_EQ(record["grace_given"], std::max<std::int64_t>(0, left - kMarginMs));
}

TEST_P(PredictedGrace, IsAllThatTheKubeletGivesUnderItsPolicy) {
  const Json record = record_of_choice(config_with({{"hardEvictionGracePolicy", "kubelet"}}));

  EXPECT_EQ(record["grace_given"], kGraceMs);
  EXPECT_EQ(record["grace_wanted"], kGraceMs);
}

}  // namespace
}  // namespace evictd::daemon::test
