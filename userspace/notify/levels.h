// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "notify/terms.h"

namespace evictd::notify {

/// A listener for one value and one threshold.
struct LevelListener {
  RegistrationId id = 0;
  std::uint64_t threshold = 0;
  std::uint64_t hysteresis = 0;
  evictd_notify_direction direction = EVICTD_NOTIFY_BOTH;
  /// The side of the threshold; meaningless before begin() has set it.
  bool above = false;
  /// Whether begin() has set the side.
  bool placed = false;
};

/// The thresholds of one value, and the listeners that each move concerns. Semantics of cgroup v1's
/// memory.usage_in_bytes notifications, plus direction and hysteresis. Pure.
///
/// A value is represented by its position: the number of edges <= the value. An edge is a threshold
/// (where a listener becomes "above") or a threshold minus its hysteresis (below which it becomes
/// "below"). Without hysteresis both are the same edge. So the watcher of the value only needs the
/// edges.
class Levels {
 public:
  Levels() = default;
  explicit Levels(std::vector<LevelListener> listeners);

  /// Ascending and distinct.
  [[nodiscard]] const std::vector<std::uint64_t>& edges() const { return edges_; }
  /// By threshold, then id.
  [[nodiscard]] const std::vector<LevelListener>& listeners() const { return listeners_; }
  [[nodiscard]] std::uint32_t position() const { return position_; }
  [[nodiscard]] std::uint32_t position_of(std::uint64_t level) const;
  /// nullptr if `id` has no listener here.
  [[nodiscard]] const LevelListener* find(RegistrationId id) const;

  /// Listeners that are also in `before` keep their side. Call it before begin().
  void keep_sides(const Levels& before);
  /// Sets the position without signalling anybody. A new listener gets its side from `position`;
  /// one with a side from earlier Levels keeps it.
  void begin(std::uint32_t position);
  /// Moves the value: appends the listeners to signal to `told`, each once, in the order in which
  /// the value crossed their edges.
  void move(std::uint32_t to, std::vector<RegistrationId>& told);

 private:
  struct Turn {
    std::uint32_t listener;
    /// The listener becomes "above" here on the way up.
    bool rises;
    /// The listener becomes "below" here on the way down.
    bool falls;
  };

  [[nodiscard]] std::span<const Turn> turns_at(std::uint32_t edge) const;
  void pass_up(const Turn& turn, std::vector<RegistrationId>& told);
  void pass_down(const Turn& turn, std::vector<RegistrationId>& told);

  std::vector<LevelListener> listeners_;
  std::vector<std::uint64_t> edges_;
  /// The turns of edge i are first_turn_[i] to first_turn_[i + 1].
  std::vector<Turn> turns_;
  std::vector<std::size_t> first_turn_;
  std::uint32_t position_ = 0;
};

}  // namespace evictd::notify
