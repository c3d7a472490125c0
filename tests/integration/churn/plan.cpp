// SPDX-License-Identifier: Apache-2.0
#include "plan.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <random>
#include <string>

namespace evictd::churn {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
/// Of the kubelet's critical pods.
constexpr std::int32_t kCriticalPriority = 2'000'000'000;
/// Of the largest pods.
constexpr std::int64_t kMostBytes = 112 * kMiB;
constexpr std::int64_t kMostChildren = 200;
/// What the kernel charges ahead, for the processors of a large machine.
constexpr Bytes kChargedAhead{16 * kMiB};

class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t round) {
    std::seed_seq both{seed & 0xffffffffU, seed >> 32U, round & 0xffffffffU, round >> 32U};
    random_.seed(both);
  }

  [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>{low, high}(random_);
  }
  /// True in so many of a hundred throws.
  [[nodiscard]] bool happens(std::int64_t percent) { return between(1, 100) <= percent; }
  template <typename T, std::size_t N>
  [[nodiscard]] T one_of(const std::array<T, N>& choices) {
    return choices[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(N) - 1))];
  }

 private:
  std::mt19937_64 random_;
};

stage::PodSpec draw_spec(Dice& dice, const std::string& name) {
  stage::PodSpec spec;
  spec.name = name;
  spec.qos = dice.one_of(std::array{stage::QosClass::kBestEffort, stage::QosClass::kBestEffort,
                                    stage::QosClass::kBurstable, stage::QosClass::kGuaranteed});
  if (spec.qos != stage::QosClass::kBestEffort) {
    spec.memory_request = Bytes{dice.between(8, 64) * kMiB};
  }
  spec.priority = dice.happens(8) ? kCriticalPriority
                                  : dice.one_of(std::array<std::int32_t, 4>{0, 0, 100, 1000});
  spec.termination_grace_seconds = dice.between(0, 2);
  return spec;
}

void draw_work(Dice& dice, PodPlan& plan) {
  constexpr std::array kWorks{Work::kMemory, Work::kMemory, Work::kMemory, Work::kMemory,
                              Work::kMemory, Work::kMemory, Work::kForks,  Work::kForks,
                              Work::kSleep,  Work::kNone};
  plan.work = dice.one_of(kWorks);
  switch (plan.work) {
    case Work::kMemory:
      plan.cap = dice.between(16, kMostBytes / kMiB) * kMiB;
      plan.rate = dice.between(40, 400) * kMiB;
      break;
    case Work::kForks:
      plan.cap = dice.between(40, kMostChildren);
      plan.rate = dice.between(200, 4000);
      break;
    case Work::kSleep:
    case Work::kNone:
      break;
  }
}

void draw_end(Dice& dice, PodPlan& plan) {
  plan.ignore_sigterm = dice.happens(30);
  // Some are gone before they have begun.
  plan.ends_laden = !dice.happens(20);
  plan.life = milliseconds{plan.ends_laden ? dice.between(100, 2500) : dice.between(0, 20)};
  // None that leaves a core file.
  plan.last_signal =
      plan.ignore_sigterm ? SIGKILL : dice.one_of(std::array<int, 3>{SIGKILL, SIGTERM, SIGUSR2});
}

/// Which of them move and come back. Drawn last, so that all else of a seed stays as it was.
void draw_moves(Dice& dice, std::vector<PodPlan>& plans) {
  for (PodPlan& plan : plans) {
    const bool moves = dice.happens(20);
    plan.comes_back = dice.happens(15) && plan.work != Work::kNone;
    if (moves && plan.work != Work::kNone) {
      plan.moves_after = plan.life / 2;
    }
  }
}

/// A pod that takes so many bytes, or children.
PodPlan pod_with(Work work, std::int64_t cap) {
  PodPlan plan;
  plan.work = work;
  plan.cap = cap;
  return plan;
}

}  // namespace

bool PodPlan::is_protected() const {
  return !has_manifest || spec.priority >= kCriticalPriority;
}

Bytes PodPlan::most_memory(const LoadSizes& sizes) const {
  const std::int64_t mebibytes = work == Work::kMemory ? (cap + kMiB - 1) / kMiB : 0;
  const std::int64_t processes = 1 + (work == Work::kForks ? cap : 0);
  return sizes.program + Bytes{mebibytes * sizes.of_a_mebibyte.value} +
         Bytes{processes * sizes.child.value};
}

std::int64_t PodPlan::most_tasks(const LoadSizes& sizes) const {
  return sizes.program_tasks + (work == Work::kForks ? cap * sizes.child_tasks : 0);
}

Limits limits_for(const LoadSizes& sizes) {
  constexpr std::int64_t kTasks = 512;
  Limits limits{};
  limits.resident_memory = kChargedAhead;
  limits.resident_tasks = 0;
  for (const PodPlan& resident : residents()) {
    limits.resident_memory += resident.most_memory(sizes);
    limits.resident_tasks += resident.most_tasks(sizes);
  }
  const auto memory_of = [&](Work work, std::int64_t cap) {
    return pod_with(work, cap).most_memory(sizes);
  };
  const Bytes largest =
      std::max(memory_of(Work::kMemory, kMostBytes), memory_of(Work::kForks, kMostChildren));
  const Bytes middle = memory_of(Work::kMemory, 64 * kMiB);
  limits.memory = limits.resident_memory + Bytes{largest.value * 5 / 2};
  limits.soft_memory = limits.memory - limits.resident_memory - middle;
  limits.hard_memory = limits.soft_memory - memory_of(Work::kMemory, 32 * kMiB);
  limits.tasks = kTasks * sizes.child_tasks + sizes.program_tasks;
  limits.hard_tasks = limits.tasks / 2;
  return limits;
}

std::vector<PodPlan> residents() {
  PodPlan plan = pod_with(Work::kMemory, 8 * kMiB);
  plan.life = std::chrono::hours{24 * 365};
  plan.last_signal = SIGKILL;
  plan.spec = {.name = "critical", .priority = kCriticalPriority};
  PodPlan unknown = plan;
  unknown.spec = {.name = "unknown"};
  unknown.has_manifest = false;
  return {plan, unknown};
}

std::vector<PodPlan> plan_round(std::uint64_t seed, std::uint64_t round) {
  Dice dice{seed, round};
  std::vector<PodPlan> plans;
  for (std::size_t i = 0; i < kPodsOfARound; ++i) {
    PodPlan plan;
    plan.spec = draw_spec(dice, "pod-" + std::to_string(round) + "-" + std::to_string(i));
    plan.has_manifest = !dice.happens(8);
    draw_work(dice, plan);
    // Now and then several begin at once.
    plan.pause = milliseconds{dice.happens(30) ? 0 : dice.between(0, 120)};
    draw_end(dice, plan);
    plans.push_back(plan);
  }
  draw_moves(dice, plans);
  return plans;
}

}  // namespace evictd::churn
