// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "evictd/bytes.h"
#include "evictd/time.h"
#include "stage/pod_spec.h"

namespace evictd::churn {

/// What the process of a pod does.
enum class Work { kMemory, kForks, kSleep, kNone };

/// What the processes of a pod take, which depends on the build: a sanitizer's are many times as
/// large. What they take in the kernel is included. The defaults are those of a plain build.
struct LoadSizes {
  /// Page tables and the program itself, before it allocates or forks.
  Bytes program{std::int64_t{4} << 20};
  /// Kernel stack, task and page tables of a child that sleeps, and what it wrote of its own.
  Bytes child{384 << 10};
  /// What a MiB that is allocated takes.
  Bytes of_a_mebibyte{std::int64_t{1} << 20};
  /// Threads of the program, and of a child.
  std::int64_t program_tasks = 1;
  std::int64_t child_tasks = 1;

  bool operator==(const LoadSizes&) const = default;
};

/// The life of one pod, as it is drawn before it begins.
struct PodPlan {
  stage::PodSpec spec;
  Work work = Work::kNone;
  /// Bytes or children to stop at and hold, and how many a second.
  std::int64_t cap = 0;
  std::int64_t rate = 0;
  bool ignore_sigterm = false;
  /// Without one evictd does not know the pod, and must spare it.
  bool has_manifest = true;
  /// From the pod before to this one.
  Duration pause{};
  /// After this time it is ended from outside, unless it was evicted before.
  Duration life{};
  /// But not before it holds its cap, however slow the machine is.
  bool ends_laden = false;
  /// What ends it then.
  int last_signal = 0;
  /// After this time its processes move into the cgroups of a new pod, and its own are removed.
  std::optional<Duration> moves_after;
  /// Once it was ended from outside, its cgroup is made anew and it begins once more.
  bool comes_back = false;

  /// Whether evictd must never signal it.
  [[nodiscard]] bool is_protected() const;
  /// The most that it may be charged for; what its processes take in the kernel included.
  [[nodiscard]] Bytes most_memory(const LoadSizes& sizes) const;
  [[nodiscard]] std::int64_t most_tasks(const LoadSizes& sizes) const;
};

/// What the pod root may hold. All pods together stay below it whatever evictd does, so that no
/// pod dies of the kernel's OOM killer and no fork fails.
struct Limits {
  Bytes memory{0};
  /// Thresholds, which are met while less is available.
  Bytes hard_memory{0};
  Bytes soft_memory{0};
  /// Left for the pods that are always there.
  Bytes resident_memory{0};
  std::int64_t tasks = 0;
  std::int64_t hard_tasks = 0;
  std::int64_t resident_tasks = 0;
};

/// Room for the residents and more than two of the largest pods; two of middle size meet the hard
/// threshold of memory, and one with what its neighbours take the soft one. Pure.
[[nodiscard]] Limits limits_for(const LoadSizes& sizes);

/// The pods that stay: one that is critical, and one that evictd knows nothing of.
[[nodiscard]] std::vector<PodPlan> residents();

inline constexpr std::size_t kPodsOfARound = 40;

/// The pods of one round, in the order in which they begin. The same seed and round give the same
/// pods, save their uids. Pure.
[[nodiscard]] std::vector<PodPlan> plan_round(std::uint64_t seed, std::uint64_t round);

}  // namespace evictd::churn
