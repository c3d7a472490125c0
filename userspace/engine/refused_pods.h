// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/pod_view.h"
#include "engine/victims.h"
#include "evictd/cgroup_id.h"
#include "evictd/kill_times.h"
#include "evictd/time.h"

namespace evictd::engine {

/// Pods whose eviction could not begin. Passes skip them until forget(). The table has room for all
/// pods of a node, so that repeated refusals come to an end. Two exceptions:
/// - A pod whose processes could not be signalled is put off and tried again. It lives, the
///   obstacle may vanish soon, and no other pod should be evicted in its place.
/// - A pod for which the table of evictions in progress has no room waits for its turn.
/// Allocates at construction only. Pure.
class RefusedPods {
 public:
  RefusedPods() : by_slot_(kMaxPods), waiting_(kMaxPods) {}

  void add(const PodView& pod);
  /// False for another pod in the slot of a refused one.
  [[nodiscard]] bool has(const PodView& pod) const;
  void forget(const PodView& pod);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Adds the slots of all refused pods that `slots` lacks.
  void add_slots(std::vector<std::uint32_t>& slots) const;

  /// What put_off() answers.
  enum class Try : std::uint8_t {
    kFirst,  ///< Retry at next_try().
    kAgain,  ///< The same, not for the first time.
    kLast,   ///< It was tried for kLeastTimeToEnd: another pod may be evicted.
  };
  /// No process of `pod` could be signalled at `now`. After kLast every further try is kLast too,
  /// until a process is signalled or forget_put_off(). If the pod was not given up, its time begins
  /// again after kTryPause without a try: that is a new failure.
  [[nodiscard]] Try put_off(const PodView& pod, MonoTime now);
  /// A process of `pod` was signalled: it is neither put off nor waits.
  void stop_putting_off(const PodView& pod);
  /// `pod` is gone: forgets everything about it.
  void forget_all(const PodView& pod);
  /// No eviction is needed any more: the next one starts with its full time.
  void forget_put_off() { put_off_count_ = 0; }
  /// When to retry a pod that was put off; nullopt if there is none.
  [[nodiscard]] std::optional<MonoTime> next_try() const;
  /// Whether a retry is due; true once per retry.
  bool take_try(MonoTime now);

  /// What wait() answers.
  enum class Wait : std::uint8_t {
    kFirst,  ///< No other pod waits.
    kNew,
    kKnown,
  };
  /// There is no room for the eviction of `pod` yet.
  [[nodiscard]] Wait wait(const PodView& pod);
  /// A pass has found room for all.
  void end_waiting();

  /// Consecutive tries are kTryAgain apart, or more if the thread lacks a CPU.
  static constexpr Duration kTryPause = 10 * kTryAgain;

 private:
  struct PutOff {
    CgroupId pod;
    MonoTime first_at{};
    MonoTime last_at{};
    bool given_up = false;
    std::optional<MonoTime> again_at;
  };

  [[nodiscard]] std::span<PutOff> put_off_now() {
    return std::span(put_off_).first(put_off_count_);
  }
  [[nodiscard]] PutOff* find_put_off(CgroupId pod);
  void stop_waiting(const PodView& pod);

  std::vector<std::optional<CgroupId>> by_slot_;
  std::size_t count_ = 0;
  /// As many as can be evicted at a time; further pods are refused.
  std::array<PutOff, Victims::kCapacity> put_off_{};
  std::size_t put_off_count_ = 0;
  /// By slot.
  std::vector<std::optional<CgroupId>> waiting_;
  std::size_t waiting_count_ = 0;
};

}  // namespace evictd::engine
