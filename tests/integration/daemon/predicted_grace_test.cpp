// SPDX-License-Identifier: Apache-2.0
// A hard grace is given as far as there is time for it.
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "arena.h"
#include "must.h"

namespace evictd::daemon::test {
namespace {

/// The run-up takes two of the windows of 100 ms in which the kernel side measures a rate.
constexpr std::int64_t kRate = kHeadroom * 3;
constexpr std::int64_t kGraceMs = 1000;
/// There is no time for all of this even if a busy machine slowed the hog to a fiftieth of its
/// rate.
constexpr std::int64_t kLongGraceSeconds = 10;
constexpr std::int64_t kMarginMs = 50;
/// A hog that was held up for a whole window before it crossed has no rate: the next one is tried.
constexpr int kHogs = 4;

class PredictedGrace : public ArenaBySource {
 protected:
  /// One that ignores SIGTERM and goes on to grow, past the threshold and the floor.
  Actor& add_steady_hog(const std::string& name) {
    const stage::StagedPod pod = make_pod({.name = name});
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
  /// With the default floor and, unless `more` says otherwise, the default grace.
  [[nodiscard]] Json config_with(const Json& more) const {
    Json config = memory_config(GetParam());
    config.erase("hardEvictionGracePeriodSeconds");
    config.update(more);
    return config;
  }
  void start(const Json& config, int hogs) {
    small_ = &add({.name = "small"}, kModest);
    for (int i = 0; i < hogs; ++i) {
      hogs_.push_back(&add_steady_hog("hog" + std::to_string(i)));
    }
    limit_memory();
    start_daemon(config);
  }
  /// Evicts the hog and answers the record of the choice, which its escalation is none of.
  Json record_of_choice(Actor& hog) {
    hog.load.go();
    const auto end = hog.await_end();
    EXPECT_TRUE(end && end->killed_by(SIGKILL)) << log();
    static_cast<void>(await_record(hog));
    EXPECT_TRUE(small_->alive());
    EXPECT_EQ(tree_->oom_kills().value_or(-1), 0);
    for (const Json& record : ask("last_evictions")) {
      if (record["uid"] == hog.pod.uid && record["outcome"] == "evicted") {
        return record;
      }
    }
    throw std::runtime_error("no record of the choice; log: " + log());
  }

  const Actor* small_ = nullptr;
  std::vector<Actor*> hogs_;
};
INSTANTIATE_TEST_SUITE_P(BySource, PredictedGrace,
                         testing::Values(Source::kEvents, Source::kPolling), name_of);

TEST_P(PredictedGrace, EndsBeforeTheFloorIsReached) {
  start(config_with({{"hardEvictionGracePeriodSeconds", kLongGraceSeconds}}), kHogs);
  Json record;
  for (Actor* hog : hogs_) {
    record = record_of_choice(*hog);
    if (record["time_left"].is_number()) {
      break;
    }
    std::cout << hog->pod.spec.name << " was held up until it crossed; the next one\n";
  }

  EXPECT_EQ(record["grace_wanted"], kLongGraceSeconds * 1000);
  ASSERT_TRUE(record["time_left"].is_number()) << record.dump(1);
  const auto left = record["time_left"].get<std::int64_t>();
  EXPECT_LT(left, kLongGraceSeconds * 1000);
  EXPECT_EQ(record["grace_given"], std::max<std::int64_t>(0, left - kMarginMs));
}

TEST_P(PredictedGrace, IsAllThatTheKubeletGivesUnderItsPolicy) {
  start(config_with({{"hardEvictionGracePolicy", "kubelet"}}), 1);

  const Json record = record_of_choice(*hogs_.front());

  EXPECT_EQ(record["grace_given"], kGraceMs);
  EXPECT_EQ(record["grace_wanted"], kGraceMs);
}

}  // namespace
}  // namespace evictd::daemon::test
