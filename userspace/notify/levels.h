// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "notify/terms.h"

namespace evictd::notify {

/// Who waits for one value to cross one threshold.
struct LevelListener {
  RegistrationId id = 0;
  std::uint64_t threshold = 0;
  std::uint64_t hysteresis = 0;
  evictd_notify_direction direction = EVICTD_NOTIFY_BOTH;
  /// On which side it stands; of no meaning before begin() has seen it.
  bool above = false;
  /// begin() has given it a side.
  bool placed = false;
};

/// The thresholds of one value, and who hears of which move: the semantics of cgroup v1's
/// memory.usage_in_bytes notifications, with direction and hysteresis added. Pure.
///
/// Values are seen as positions: how many edges are <= the value. An edge is a threshold (at which
/// a listener comes to be above) or a threshold less its hysteresis (under which it comes to be
/// below); both are the same edge without hysteresis. So whoever watches the value needs to know
/// the edges only.
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
  /// nullptr for one that is not here.
  [[nodiscard]] const LevelListener* find(RegistrationId id) const;

  /// Who is in `before` too keeps the side that it has there. Before begin().
  void keep_sides(const Levels& before);
  /// The value is at `position` now, and nobody is told: who is new gets its side from it, who was
  /// here before (in other Levels) keeps it.
  void begin(std::uint32_t position);
  /// The value has moved: appends who is to be told, once each, in the order in which the value
  /// passed their edges.
  void move(std::uint32_t to, std::vector<RegistrationId>& told);

 private:
  struct Turn {
    std::uint32_t listener;
    /// Comes to be above here on the way up.
    bool rises;
    /// Comes to be below here on the way down.
    bool falls;
  };

  [[nodiscard]] std::span<const Turn> turns_at(std::uint32_t edge) const;
  void pass_up(const Turn& turn, std::vector<RegistrationId>& told);
  void pass_down(const Turn& turn, std::vector<RegistrationId>& told);

  std::vector<LevelListener> listeners_;
  std::vector<std::uint64_t> edges_;
  /// Those of edge i are from first_turn_[i] to first_turn_[i + 1].
  std::vector<Turn> turns_;
  std::vector<std::size_t> first_turn_;
  std::uint32_t position_ = 0;
};

}  // namespace evictd::notify
