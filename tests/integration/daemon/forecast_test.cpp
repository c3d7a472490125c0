// SPDX-License-Identifier: Apache-2.0
// When a threshold will be met, and because of which pod.
#include "arena.h"
#include "must.h"

namespace evictd::daemon::test {
namespace {

/// Farther from the threshold than the hog ever gets.
constexpr std::int64_t kFar = 1024 * kMiB;
constexpr std::int64_t kCap = 256 * kMiB;
constexpr std::int64_t kPace = 16 * kMiB;
/// Smaller than what grows between two looks of evictd.
constexpr std::int64_t kStep = kPace / 128;

class Forecast : public ArenaBySource {
 protected:
  Actor& add_steady_hog() {
    const stage::StagedPod pod = make_pod({.name = "hog"});
    write_manifest(pod);
    stage::LoadOptions load;
    load.binary = EVICT_LOAD;
    load.directory = scratch_->path();
    load.cap = kCap;
    load.rate = kPace;
    load.batch = kStep;
    actors_.push_back({pod, must(stage::LoadProcess::start(*tree_, pod, load))});
    return actors_.back();
  }
};
INSTANTIATE_TEST_SUITE_P(BySource, Forecast, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

TEST_P(Forecast, NamesThePodThatGrowsTowardsAThreshold) {
  add({.name = "small"}, kModest);
  Actor& hog = add_steady_hog();
  limit_pods(must(tree_->usage()) + Bytes{kFar});
  start_daemon(memory_config(GetParam()));
  hog.load.go();
  const Json seen = await_status([](const Json& status) {
    const Json& forecast = status["signals"][0]["forecast"];
    return forecast.is_object() && forecast["because_of"].is_object() &&
           forecast["time_to_threshold_ms"].is_number();
  });
  const Json& signal = seen["signals"][0];
  EXPECT_EQ(signal["met"], false);
  EXPECT_GT(signal["forecast"]["time_to_threshold_ms"].get<std::int64_t>(), 0);
  EXPECT_GT(signal["forecast"]["rate"].get<std::int64_t>(), 0);
  EXPECT_EQ(signal["forecast"]["because_of"]["name"], "hog");
  EXPECT_EQ(signal["forecast"]["because_of"]["uid"], hog.pod.uid);
}

}  // namespace
}  // namespace evictd::daemon::test
