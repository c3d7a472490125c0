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

/// The pods whose eviction could not be begun. As a rule they are passed over until somebody
/// forgets that; there is room for all pods of a node, so that a pass that is refused again and
/// again comes to an end. One whose processes could not be signalled is put off instead and tried
/// again: it lives, what was in the way may be gone in a moment, and nobody is to go in its place.
/// One for which there is no room among the evictions under way waits for its turn.
/// Allocates at construction only. Pure.
class RefusedPods {
 public:
  RefusedPods() : by_slot_(kMaxPods), waiting_(kMaxPods) {}

  void add(const PodView& pod);
  /// False for another pod in the slot of one that was refused.
  [[nodiscard]] bool has(const PodView& pod) const;
  void forget(const PodView& pod);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  /// Adds the slots of all that `slots` does not have yet.
  void add_slots(std::vector<std::uint32_t>& slots) const;

  /// What put_off() answers.
  enum class Try : std::uint8_t {
    kFirst,  ///< It is to be tried again at next_try().
    kAgain,  ///< The same, and not for the first time.
    kLast,   ///< It was tried for kLeastTimeToEnd: another pod may go.
  };
  /// Nobody of `pod` could be signalled at `now`. After the last try each further one is the last
  /// too, until somebody is signalled or forget_put_off(). Of one that was not given up the time
  /// begins anew after kTryPause without a try: it is another failure.
  [[nodiscard]] Try put_off(const PodView& pod, MonoTime now);
  /// Somebody of `pod` was signalled.
  void note_begun(const PodView& pod);
  /// `pod` is no more: nothing is kept of it.
  void note_gone(const PodView& pod);
  /// Nobody has to go any more: whoever has to again has all the time of its own.
  void forget_put_off() { put_off_count_ = 0; }
  /// When a pod that was put off is to be tried again; nothing if none is.
  [[nodiscard]] std::optional<MonoTime> next_try() const;
  /// Whether that moment has come for any; it is told of once.
  bool take_try(MonoTime now);

  /// What wait() answers.
  enum class Wait : std::uint8_t {
    kFirst,  ///< Nobody has waited before it.
    kNew,
    kKnown,
  };
  /// There is no room for the eviction of `pod` yet.
  [[nodiscard]] Wait wait(const PodView& pod);
  /// A pass has found room for all.
  void end_waiting();

  /// Of tries in a row one comes kTryAgain after the other, or when the thread gets a CPU.
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
  /// No more than can be evicted at a time; whoever finds no room is refused.
  std::array<PutOff, Victims::kCapacity> put_off_{};
  std::size_t put_off_count_ = 0;
  /// By slot.
  std::vector<std::optional<CgroupId>> waiting_;
  std::size_t waiting_count_ = 0;
};

}  // namespace evictd::engine
