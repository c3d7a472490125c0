// SPDX-License-Identifier: Apache-2.0
// Equal inputs give equal decisions, whoever acts on them, and equal records.
#include <gtest/gtest.h>

#include <list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "daemon/records/record_builder.h"
#include "driven_hot_loop.h"
#include "support/numbers.h"

namespace evictd::daemon {
namespace {

using test::SeededNumbers;

/// Each is a thread and a node of files.
constexpr std::uint64_t kNodes = 25;
constexpr std::uint64_t kRecords = 1000;

/// One hot thread on a node that a seed makes, dry or not.
class SeededLoop final : public DrivenHotLoop {
 public:
  SeededLoop(std::uint64_t seed, bool dry_run)
      : DrivenHotLoop(hard("100Mi") + (dry_run ? "dryRun: true\n" : "")), numbers_(seed) {
    node_.set_memory(Bytes{(800 + numbers_.up_to(200)) * (1_MiB).value});
  }
  void TestBody() override {}

  /// What the first pass decided.
  eviction::Decision first_decision() {
    const int pods = numbers_.up_to(6);
    for (int i = 1; i <= pods; ++i) {
      auto pod = node_.pod(static_cast<std::uint32_t>(i), "pod-" + std::to_string(i),
                           Bytes{numbers_.up_to(100) * (1_MiB).value});
      pod->facts.priority = numbers_.up_to(2);
      pod->facts.is_critical = numbers_.one_in(5);
      send(PlacePod{.slot = static_cast<std::uint32_t>(i), .pod = std::move(pod)});
    }
    start();
    auto done = next<PassDone>();
    eviction::Decision decision = done && done->copy ? done->copy->decision : eviction::Decision{};
    TearDown();
    return decision;
  }

 private:
  SeededNumbers numbers_;
};

TEST(DryRun, DecidesAsTheRealThingDoes) {
  int victims = 0;
  for (std::uint64_t seed = 0; seed < kNodes; ++seed) {
    SeededLoop real(seed, /*dry_run=*/false);
    SeededLoop dry(seed, /*dry_run=*/true);
    const eviction::Decision a = real.first_decision();
    const eviction::Decision b = dry.first_decision();
    ASSERT_EQ(a.outcome, b.outcome) << "seed " << seed;
    ASSERT_EQ(a.victim, b.victim) << "seed " << seed;
    ASSERT_EQ(a.threshold, b.threshold) << "seed " << seed;
    ASSERT_EQ(a.grace, b.grace) << "seed " << seed;
    victims += a.victim ? 1 : 0;
  }
  EXPECT_GT(victims, 0);
}

/// A pass over pods, made anew from the seed each time.
class SeededPass {
 public:
  explicit SeededPass(std::uint64_t seed) {
    SeededNumbers numbers(seed);
    done_.copy = std::make_unique<PassCopy>();
    const int count = 1 + numbers.up_to(8);
    for (int i = 0; i < count; ++i) {
      add("pod-" + std::to_string(i), numbers);
    }
    thresholds_ = eviction::ThresholdTable::create(one_threshold()).value();
    done_.copy->observations[eviction::Signal::kMemoryAvailable] =
        eviction::Observation{numbers.up_to(1000), 100'000, kNow};
    done_.timeline.observe_at = kNow;
    done_.begun = EvictionBegun{.victim = &pods_.front(), .signals = {}, .threshold = 0};
  }
  [[nodiscard]] std::string record() const {
    return exporting::to_json(make_record(done_, {.thresholds = thresholds_})).dump();
  }

 private:
  static constexpr MonoTime kNow{std::chrono::seconds(100)};

  static std::vector<eviction::Threshold> one_threshold() {
    eviction::Threshold threshold;
    threshold.signal = eviction::Signal::kMemoryAvailable;
    threshold.value.quantity = eviction::Quantity::parse("1Ki").value();
    return {threshold};
  }
  void add(const std::string& name, SeededNumbers& numbers) {
    HotPod& pod = pods_.emplace_back();
    pod.uid = "uid-" + name;
    pod.name = name;
    pod.facts.priority = numbers.up_to(2);
    pod.facts.never_evict = numbers.one_in(5);
    PassCopy::PodCopy copy;
    copy.pod = &pod;
    copy.pass.facts = &pod.facts;
    copy.pass.reading.state = eviction::ReadingState::kRead;
    copy.pass.reading.working_set_bytes = numbers.up_to(3);
    copy.usage.usage = Bytes{numbers.up_to(3)};
    copy.usage.read_at = kNow;
    done_.copy->pods.push_back(copy);
  }

  std::list<HotPod> pods_;
  PassDone done_;
  eviction::ThresholdTable thresholds_;
};

TEST(Records, AreEqualForEqualPasses) {
  for (std::uint64_t seed = 0; seed < kRecords; ++seed) {
    ASSERT_EQ(SeededPass(seed).record(), SeededPass(seed).record()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace evictd::daemon
