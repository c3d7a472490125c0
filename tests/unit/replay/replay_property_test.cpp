// SPDX-License-Identifier: Apache-2.0
// Whatever a pass is given: what was written down of it decides the same again.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "recorder.h"
#include "support/numbers.h"

namespace evictd::replay::test {
namespace {

using evictd::test::Numbers;
using evictd::test::SeededNumbers;
using eviction::Signal;

constexpr std::uint64_t kNodes = 250;
constexpr std::uint64_t kParts = 5;
constexpr int kPasses = 16;
constexpr int kPods = 6;

std::string thresholds_of(Numbers& numbers, const std::string& key, const std::string& least,
                          const std::string& unit) {
  std::string lines = key + ":\n  memory.available: " + least + "\n";
  for (const char* signal : {"pid.available", "nodefs.available"}) {
    if (!numbers.one_in(3)) {
      lines += "  " + std::string(signal) + ": " + std::to_string(1 + numbers.up_to(80)) + unit;
      lines += "\n";
    }
  }
  return lines;
}

std::string random_config(Numbers& numbers) {
  std::string yaml = numbers.one_in(2) ? "compatibility: 1.26\n" : "";
  yaml += thresholds_of(numbers, "evictionHard", "10%", "%");
  if (numbers.one_in(2)) {
    yaml +=
        "evictionSoft: {memory.available: 60%}\n"
        "evictionSoftGracePeriod: {memory.available: " +
        std::to_string(1 + numbers.up_to(90)) + "s}\n";
  }
  if (numbers.one_in(2)) {
    yaml += "evictionMinimumReclaim: {memory.available: 5%}\n";
  }
  if (numbers.one_in(3)) {
    yaml += "hardEvictionGracePeriodSeconds: " + std::to_string(numbers.up_to(2)) + "\n";
  }
  return yaml;
}

/// A node whose passes are written down as the daemon does it.
class RandomRecording {
 public:
  explicit RandomRecording(Numbers& numbers)
      : numbers_(numbers), recorder_(random_config(numbers)) {
    for (int i = 0; i < kPods; ++i) {
      RecordedPod pod;
      pod.ns = numbers_.one_in(2) ? "a" : "b";
      pod.name = "pod-" + std::to_string(i);
      pod.uid = "uid-" + std::to_string(i);
      pod.facts.priority = numbers_.up_to(3) - 1;
      pod.facts.never_evict = numbers_.one_in(6);
      pod.facts.memory_request_nanos = eviction::Wide{numbers_.up_to(300)} * 1'000'000'000;
      numbers_of_pods_.at(static_cast<std::size_t>(i)) = recorder_.describe(pod);
    }
  }
  void step() {
    now_ += std::chrono::milliseconds(1 + numbers_.up_to(40'000));
    RecordedPass pass = random_pass();
    if (waiting_) {
      pass.resumed = true;
      waiting_ = false;
    }
    if (numbers_.one_in(12)) {
      recorder_.lose_a_pass(std::move(pass));
      return;
    }
    waiting_ = recorder_.run(std::move(pass)).outcome == eviction::Outcome::kReclaiming &&
               numbers_.one_in(2);
    ++recorded_;
  }
  [[nodiscard]] std::uint64_t recorded() const { return recorded_; }
  [[nodiscard]] Recording recording() const { return recorder_.recording(); }

 private:
  RecordedPass random_pass() {
    static constexpr std::array kTriggers{"regular", "crossing", "release", "disk", "request"};
    RecordedPass pass;
    pass.now = now_;
    pass.trigger = kTriggers.at(static_cast<std::size_t>(numbers_.up_to(4)));
    if (!numbers_.one_in(20)) {
      pass.observations = random_observations();
    }
    pass.disk_usage_pending = numbers_.one_in(8);
    if (numbers_.one_in(2)) {
      pass.layout = eviction::DiskLayout{.dedicated_image_fs = true, .split_container_fs = false};
    }
    for (const std::size_t number : numbers_of_pods_) {
      if (!numbers_.one_in(5)) {
        pass.pods.push_back(random_pod(number));
      }
    }
    if (numbers_.one_in(4)) {
      pass.releasing.push_back({.killed_at = now_ - std::chrono::seconds(numbers_.up_to(40)),
                                .memory = Bytes{numbers_.up_to(500)},
                                .tasks = numbers_.up_to(20),
                                .disk = Bytes{numbers_.up_to(500)}});
    }
    if (numbers_.one_in(2)) {
      pass.brakes.emplace();
      pass.brakes->brakes.max_evictions_per_minute = static_cast<std::size_t>(numbers_.up_to(3));
      pass.brakes->brakes.pauses.all =
          numbers_.one_in(6) ? now_ + std::chrono::seconds(1) : MonoTime{};
      pass.brakes->recent = {now_ - std::chrono::seconds(numbers_.up_to(70))};
    }
    pass.dry_run = numbers_.one_in(6);
    return pass;
  }
  eviction::Observations random_observations() {
    eviction::Observations seen;
    for (const Signal signal :
         {Signal::kMemoryAvailable, Signal::kPidAvailable, Signal::kNodeFsAvailable}) {
      if (!numbers_.one_in(10)) {
        seen[signal] = eviction::Observation{.available = numbers_.up_to(1000),
                                             .capacity = numbers_.one_in(40) ? 0 : 1000,
                                             .time = now_};
      }
    }
    if (std::optional<eviction::Observation>& memory = seen[Signal::kMemoryAvailable];
        memory && numbers_.one_in(2)) {
      memory->kernel_available = numbers_.up_to(400);
    }
    return seen;
  }
  RecordedPodPass random_pod(std::size_t number) {
    RecordedPodPass pod = Recorder::pod(number, Bytes{numbers_.up_to(500)}, numbers_.up_to(1000));
    pod.reading.state = static_cast<eviction::ReadingState>(numbers_.up_to(2));
    pod.reading.processes = numbers_.up_to(30);
    pod.reading.disk.volume_bytes = numbers_.up_to(500);
    pod.standing = numbers_.one_in(6) ? static_cast<eviction::Standing>(numbers_.up_to(5))
                                      : eviction::Standing::kActive;
    return pod;
  }

  Numbers& numbers_;
  Recorder recorder_;
  std::array<std::size_t, kPods> numbers_of_pods_{};
  MonoTime now_ = at_ms(0);
  bool waiting_ = false;
  std::uint64_t recorded_ = 0;
};

/// A part of the seeds: all of them at once take minutes under a sanitizer.
class ReplayOfAnything : public testing::TestWithParam<std::uint64_t> {};

TEST_P(ReplayOfAnything, DecidesEachPassAsItWasDecidedAndLeavesTheSameState) {
  std::uint64_t evictions = 0;
  std::uint64_t gaps = 0;
  const std::uint64_t first = GetParam() * kNodes / kParts;
  const std::uint64_t end = (GetParam() + 1) * kNodes / kParts;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    SeededNumbers numbers(seed);
    RandomRecording node(numbers);
    for (int i = 0; i < kPasses; ++i) {
      node.step();
    }
    const Result<Verification> verified = verify(node.recording());
    ASSERT_TRUE(verified) << "seed " << seed << ": " << verified.error().message();
    ASSERT_FALSE(verified->difference)
        << "seed " << seed << ", pass " << verified->difference->pass << ": "
        << verified->difference->what << ": " << verified->difference->recorded << " / "
        << verified->difference->replayed;
    ASSERT_EQ(verified->passes, node.recorded()) << "seed " << seed;
    evictions += verified->evictions;
    gaps += verified->gaps;
  }
  EXPECT_GT(evictions, end - first) << "too tame to prove much";
  EXPECT_GT(gaps, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReplayOfAnything, testing::Range(std::uint64_t{0}, kParts));

}  // namespace
}  // namespace evictd::replay::test
