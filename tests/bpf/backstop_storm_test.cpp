// SPDX-License-Identifier: Apache-2.0
// A plan of the engine in the kernel, while pods grow, shrink, fork, change places, come and go.
// Whoever is killed is whom a pass would have chosen then. A witness outside evictd tells who it
// was.
//
// Plans last a minute here, so that no test depends on the speed of the machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/system_clock.h"
#include "engine/backstop.h"
#include "eviction/parse_thresholds.h"
#include "observer/kill_witness.h"
#include "recorder.h"
#include "storm_pods.h"
#include "support/numbers.h"
#include "test_child.h"

namespace evictd::test {
namespace {

using probe::BackstopPod;
using probe::BackstopSpared;
using probe::Purpose;

constexpr std::size_t kPods = 4;
constexpr std::uint32_t kRoot = 0;
constexpr int kRounds = 48;
constexpr int kGusts = 5;
constexpr std::int64_t kCapacity = std::int64_t{64} << 30;
/// Of the passes; the kernel side has its own clock.
constexpr MonoTime kStart{std::chrono::seconds(1000)};

using Sizes = std::array<std::int64_t, kPods>;

/// What the pods, and all together, can hold at any moment of a gust.
struct Bounds {
  Sizes least{};
  Sizes most{};
  std::int64_t root = 0;  ///< When it began.
  std::int64_t root_most = 0;
};

class BackstopStorm : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    probe::Options options;
    options.backstop = true;
    options.pins[Purpose::kBackstop] = GetParam();
    if (probe::Probe::examine(options).chosen(Purpose::kBackstop) != GetParam()) {
      GTEST_SKIP() << "this kernel refuses the row";
    }
    Result<bench::KillWitness> witness = bench::KillWitness::create();
    ASSERT_TRUE(witness) << witness.error().message();
    witness_.emplace(std::move(*witness));
    probe_ = load_probe(options);
    ASSERT_NE(probe_, nullptr);
    ASSERT_NE(probe_->backstop(), nullptr);
    ASSERT_TRUE(probe_->watch(kRoot, root_.pod()));
    for (std::size_t i = 0; i < kPods; ++i) {
      make_pod(i);
    }
  }

  void make_pod(std::size_t pod) {
    pods_.at(pod) = std::make_unique<Pod>(root_.create_child("pod" + std::to_string(pod)));
    EXPECT_TRUE(probe_->watch(slot_of(pod), pods_[pod]->cgroup.pod()));
  }

  static std::uint32_t slot_of(std::size_t pod) { return static_cast<std::uint32_t>(pod) + 1; }

  std::int64_t mebibytes(int least, int most) {
    return (least + numbers_->up_to(most - least)) * kMiB;
  }

  // Before a storm.

  void fill(std::size_t pod, const eviction::PodFacts& facts, std::int64_t size) {
    pods_[pod]->facts = facts;
    Walker& walker = walkers_.emplace_back(pods_[pod]->container, pod);
    walker.child.run(Work::kTouch4K, static_cast<std::uint64_t>(size));
  }

  void fill_with_different_terms() {
    for (std::size_t i = 0; i < kPods; ++i) {
      eviction::PodFacts facts;
      facts.priority = numbers_->one_in(3) ? 1 : 0;
      facts.memory_request_nanos = eviction::Wide{mebibytes(0, 24)} * 1'000'000'000;
      fill(i, facts, mebibytes(8, 32));
    }
  }

  /// The largest one goes first, and is so by some MiB.
  void fill_with_equal_terms() {
    const auto turn = static_cast<std::size_t>(numbers_->up_to(kPods - 1));
    for (std::size_t i = 0; i < kPods; ++i) {
      const auto rank = static_cast<std::int64_t>((i + turn) % kPods);
      fill(i, {}, mebibytes(8, 12) + rank * 8 * kMiB);
    }
  }

  [[nodiscard]] Sizes sizes() const {
    Sizes now{};
    std::transform(pods_.begin(), pods_.end(), now.begin(),
                   [](const auto& pod) { return pod->working_set(); });
    return now;
  }

  eviction::PassInput input(const Sizes& held, std::int64_t available, MonoTime at) {
    seen_[eviction::Signal::kAllocatableMemoryAvailable] =
        eviction::Observation{.available = available, .capacity = kCapacity, .time = at};
    for (std::size_t i = 0; i < kPods; ++i) {
      usages_[i].usage = Bytes{held[i]};
      usages_[i].inactive_file = Bytes{0};
      readings_[i].facts = &pods_[i]->facts;
      readings_[i].reading.state = eviction::ReadingState::kRead;
      readings_[i].reading.working_set_bytes = held[i];
    }
    eviction::PassInput made;
    made.observations = &seen_;
    made.pods = readings_;
    made.brakes = &brakes_;
    return made;
  }

  /// The engine's plan for the moment at which all pods together have grown by `run_up`.
  std::optional<engine::BackstopPlan> plan(std::int64_t run_up) {
    const std::int64_t held = working_set_of(root_);
    eviction::ThresholdTexts texts;
    texts.hard = {{"allocatableMemory.available", std::to_string(kCapacity - held - run_up)}};
    eviction::PassSettings settings;
    settings.thresholds = eviction::parse_thresholds(texts, eviction::Compat::k1_32).value();
    settings.hard_grace = std::chrono::seconds(0);
    manager_.emplace(eviction::EvictionManager::create(std::move(settings)).value());
    const eviction::PassInput now = input(sizes(), kCapacity - held, kStart);
    manager_->synchronize(kStart, now);
    const auto made = engine::plan_backstop({.manager = &*manager_,
                                             .input = now,
                                             .usages = usages_,
                                             .scope = eviction::Scope::kPodRoot,
                                             .margin = Bytes{0},
                                             .growth = Bytes{0},
                                             .now = kStart + Duration{1000},
                                             .until = kStart + std::chrono::seconds(1)});
    return made ? std::optional(*made) : std::nullopt;
  }

  [[nodiscard]] BackstopPod compared(std::size_t pod, const eviction::Contender& terms) const {
    return {.slot = slot_of(pod),
            .memory_id = pods_[pod]->id(),
            .priority = terms.priority,
            .exceeds_from = terms.exceeds_from,
            .lead = terms.lead};
  }

  void arm(const engine::BackstopPlan& plan) {
    level_ = kCapacity - plan.most_available;
    available_ = plan.most_available;
    std::vector<BackstopPod> rivals;
    for (const engine::BackstopRival& rival : plan.compared()) {
      rivals.push_back(compared(rival.pod, rival.terms));
    }
    const std::vector<pid_t> processes{walkers_[plan.victim].child.pid()};
    probe::BackstopOrder order;
    order.slot = kRoot;
    order.least_value = static_cast<std::uint64_t>(level_);
    order.most_value = static_cast<std::uint64_t>(kCapacity - plan.least_available);
    order.victim = compared(plan.victim, plan.victim_terms);
    order.rivals = rivals;
    order.processes = processes;
    order.expires_at = clock_.now() + std::chrono::minutes(1);
    probe_->backstop()->arm(order);
  }

  // The storm.

  /// As long as nobody does anything.
  [[nodiscard]] Bounds calm() const {
    Bounds now;
    now.root = working_set_of(root_);
    now.root_most = now.root + kStock;
    const Sizes held = sizes();
    for (std::size_t i = 0; i < kPods; ++i) {
      now.least[i] = std::max<std::int64_t>(held[i] - kStock, 0);
      now.most[i] = held[i] + kStock;
    }
    return now;
  }

  static void allow(Bounds& during, const Walker& walker, std::int64_t amount) {
    during.most[walker.at] += amount;
    during.root_most += amount;
  }

  /// The level is not reached before the walker's pod has grown by what is missing.
  Bounds grow(Bounds during, Walker& walker, Work work, std::int64_t amount) {
    allow(during, walker, amount);
    during.least[walker.at] += std::max<std::int64_t>(level_ - during.root, 0);
    walker.child.run(work, static_cast<std::uint64_t>(amount));
    return during;
  }

  Bounds grow_together(Bounds during, Walker& one, Walker& other) {
    const std::int64_t amount = mebibytes(1, 12);
    for (Walker* walker : {&one, &other}) {
      allow(during, *walker, amount);
      walker->child.start(Work::kTouch4K, static_cast<std::uint64_t>(amount));
    }
    for (Walker* walker : {&one, &other}) {
      walker->child.wait();
    }
    return during;
  }

  void move(Walker& walker) {
    const auto to = static_cast<std::size_t>(numbers_->up_to(kPods - 1));
    if (!walker.has_forked && walker.child.pid() > 0 && !pods_[to]->is_gone) {
      pods_[to]->container.attach(walker.child.pid());
      walker.at = to;
    }
  }

  Bounds blow(Bounds during) {
    const auto first = static_cast<std::size_t>(numbers_->up_to(kPods - 1));
    Walker& walker = walkers_[first];
    switch (numbers_->up_to(6)) {
      case 0:
        move(walker);
        return during;
      case 1:
        during.least = {};
        walker.child.run(Work::kRelease);
        return during;
      case 2:
        walker.has_forked = true;
        walker.child.run(Work::kFork, 2);
        return during;
      case 3:
        return grow_together(during, walker, walkers_[(first + 1) % kPods]);
      case 4:
        return grow(during, walker, Work::kVforkAndTouch, mebibytes(1, 16));
      default:
        return grow(during, walker, Work::kTouch4K, mebibytes(1, 16));
    }
  }

  /// From now on the plan is for other pods than those that are there.
  void note_change() { changed_at_ = changed_at_.value_or(clock_.now()); }

  void add_guest() {
    Guest& guest =
        guests_.emplace_back(root_.create_child("guest" + std::to_string(guests_.size())));
    note_change();
    guest.child.emplace(guest.pod.container);
    guest.child->run(Work::kTouch4K, static_cast<std::uint64_t>(mebibytes(1, 8)));
  }

  /// Its processes are killed by this one, which the witness leaves out; not so their children.
  [[nodiscard]] bool may_go(std::size_t pod) const {
    return !pods_[pod]->is_gone &&
           std::none_of(walkers_.begin(), walkers_.end(), [pod](const Walker& walker) {
             return walker.at == pod && walker.has_forked;
           });
  }

  void remove_pod(std::size_t pod) {
    for (Walker& walker : walkers_) {
      if (walker.at == pod) {
        walker.child.kill_and_reap();
      }
    }
    pods_[pod]->remove();
    note_change();
  }

  Bounds change_pods(Bounds during) {
    const auto pod = static_cast<std::size_t>(numbers_->up_to(kPods - 1));
    if (numbers_->one_in(2) || !may_go(pod)) {
      add_guest();
      return during;
    }
    // It shrinks before it is gone.
    during.least = {};
    remove_pod(pod);
    return during;
  }

  // After it.

  [[nodiscard]] bool is_killed(const Pod& pod) const {
    return witness_->kills_of(pod.id()).has_value();
  }

  [[nodiscard]] bool kills() const {
    return std::any_of(pods_.begin(), pods_.end(),
                       [this](const auto& pod) { return is_killed(*pod); }) ||
           std::any_of(guests_.begin(), guests_.end(),
                       [this](const Guest& guest) { return is_killed(guest.pod); });
  }

  /// Whom a pass kills at the level.
  std::optional<std::size_t> chosen(const Sizes& held) {
    eviction::EvictionManager twin = *manager_;
    const MonoTime then = kStart + std::chrono::milliseconds(2);
    const eviction::Decision& decision = twin.synchronize(then, input(held, available_, then));
    return decision.outcome == eviction::Outcome::kEvicted ? decision.victim : std::nullopt;
  }

  /// Nobody but the victim was killed, and there was a moment at which a pass would have done it:
  /// the best for it is that it holds most, and all others hold least.
  void judge(std::size_t victim, const Bounds& during) {
    for (std::size_t i = 0; i < kPods; ++i) {
      EXPECT_EQ(is_killed(*pods_[i]), i == victim) << "pod " << i;
    }
    for (const Guest& guest : guests_) {
      EXPECT_FALSE(is_killed(guest.pod)) << "no plan names it";
    }
    Sizes best = during.least;
    best[victim] = during.most[victim];
    EXPECT_EQ(chosen(best), std::optional(victim)) << "another one goes first";
    EXPECT_GE(during.root_most, level_) << "the level was not reached";
  }

  enum class Opening : std::uint8_t { kVictimGrows, kRivalOvertakes, kAny, kPodsChange };

  Bounds open(Opening opening, std::size_t victim, std::int64_t amount, Bounds during) {
    switch (opening) {
      case Opening::kVictimGrows:
        return grow(during, walkers_[victim], Work::kTouch4K, amount);
      case Opening::kRivalOvertakes:
        return grow(during, walkers_[(victim + 1) % kPods], Work::kTouch4K, amount);
      case Opening::kAny:
        return blow(during);
      case Opening::kPodsChange:
        return change_pods(during);
    }
    return during;
  }

  Bounds go_on(Opening opening, int gust, std::size_t victim, Bounds during) {
    if (opening != Opening::kPodsChange) {
      return blow(during);
    }
    if (gust == 1) {
      const std::int64_t missing = std::max<std::int64_t>(level_ - during.root, 0);
      return grow(during, walkers_[victim], Work::kTouch4K, missing + 6 * kMiB);
    }
    return numbers_->one_in(3) ? change_pods(during) : blow(during);
  }

  /// Whether the kernel side is told of pods. Otherwise a move, too, would end a plan.
  void tell_pods(bool told) {
    const std::array roots = {root_.memory_id()};
    EXPECT_TRUE(probe_->set_roots(std::span(roots).first(told ? 1 : 0)));
  }

  void storm(Opening opening, int gusts) {
    const bool any = opening == Opening::kAny || opening == Opening::kPodsChange;
    tell_pods(opening == Opening::kPodsChange);
    if (any) {
      fill_with_different_terms();
    } else {
      fill_with_equal_terms();
    }
    const Sizes held = sizes();
    const auto largest =
        static_cast<std::size_t>(std::max_element(held.begin(), held.end()) - held.begin());
    // At the level it is far ahead, and the plan's range ends later.
    const std::int64_t behind = opening == Opening::kRivalOvertakes
                                    ? held[largest] - held[(largest + 1) % kPods] + 8 * kMiB
                                    : 0;
    const std::int64_t run_up = any ? mebibytes(4, 32) : behind + 8 * kMiB;
    const std::optional<engine::BackstopPlan> made = plan(run_up);
    ASSERT_TRUE(made);
    ASSERT_TRUE(any || made->victim == largest);
    // No event of a pod is left from before the plan.
    Recorder(*probe_).drain();
    arm(*made);
    Bounds now = calm();
    bool over = false;
    for (int gust = 0; gust < gusts && !over; ++gust) {
      const bool had_changed = changed_at_.has_value();
      const Bounds during = gust == 0 ? open(opening, made->victim, run_up + 6 * kMiB, now)
                                      : go_on(opening, gust, made->victim, now);
      // Before the look at the kills: what is read then is from before any.
      now = calm();
      over = kills();
      if (over) {
        judge(made->victim, during);
        EXPECT_FALSE(had_changed) << "the plan was for other pods";
      }
    }
    const std::optional<probe::BackstopFiring> firing = probe_->backstop()->disarm(clock_.now());
    if (!over && kills()) {
      over = true;
      judge(made->victim, now);
      EXPECT_FALSE(changed_at_) << "the plan was for other pods";
    }
    EXPECT_TRUE(firing || !over) << "nobody else kills";
    EXPECT_TRUE(!firing || !changed_at_ || firing->at <= *changed_at_) << "it fired too late";
    killed_ += over ? 1 : 0;
  }

  void clear_up() {
    walkers_.clear();
    for (Guest& guest : guests_) {
      guest.child.reset();
      witness_->forget(guest.pod.id());
    }
    guests_.clear();
    for (std::size_t i = 0; i < kPods; ++i) {
      witness_->forget(pods_[i]->id());
      if (pods_[i]->is_gone) {
        make_pod(i);
      }
    }
    changed_at_.reset();
  }

  base::SystemClock clock_;
  TestCgroup root_ = TestCgroup::create();
  std::optional<bench::KillWitness> witness_;
  std::unique_ptr<probe::Probe> probe_;
  std::array<std::unique_ptr<Pod>, kPods> pods_;
  std::deque<Walker> walkers_;
  std::deque<Guest> guests_;
  std::optional<MonoTime> changed_at_;  ///< When a pod had come or gone since the plan.
  std::optional<SeededNumbers> numbers_;
  std::optional<eviction::EvictionManager> manager_;
  eviction::Brakes brakes_;
  eviction::Observations seen_;
  std::array<eviction::PassPod, kPods> readings_;
  std::array<CgroupUsage, kPods> usages_;
  std::int64_t level_ = 0;
  std::int64_t available_ = 0;
  int killed_ = 0;
};

TEST_P(BackstopStorm, KillsNobodyButWhomAPassWouldKill) {
  constexpr std::array kOpenings{Opening::kVictimGrows, Opening::kRivalOvertakes, Opening::kAny,
                                 Opening::kPodsChange};
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    numbers_.emplace(static_cast<std::uint64_t>(round));
    const Opening opening = kOpenings.at(static_cast<std::size_t>(round) % kOpenings.size());
    // Half of them end with the opening: after more, whom nobody overtook may go first again.
    const int least = opening == Opening::kPodsChange ? 2 : 1;
    storm(opening, round % 8 < 4 ? least : kGusts);
    clear_up();
  }
  EXPECT_EQ(witness_->missed(), 0U) << "it may have overlooked a kill";
  EXPECT_GT(killed_, 0) << "the storm proves nothing";
  const probe::BackstopCounters counters = probe_->backstop()->counters();
  EXPECT_GT(counters.spared[static_cast<std::size_t>(BackstopSpared::kRival)], 0U);
  EXPECT_GT(counters.spared[static_cast<std::size_t>(BackstopSpared::kPods)], 0U);
}

INSTANTIATE_TEST_SUITE_P(Ladder, BackstopStorm,
                         testing::Values("fentry_listed", "tp_btf_listed", "fentry", "tp_btf"),
                         [](const testing::TestParamInfo<std::string>& row) { return row.param; });

}  // namespace
}  // namespace evictd::test
