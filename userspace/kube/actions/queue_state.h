// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evictd/result.h"
#include "kube/actions/counted_events.h"
#include "kube/actions/entry.h"
#include "kube/actions/eviction_loops.h"
#include "kube/actions/pressure.h"

namespace evictd::kube {

/// A victim and the decision that chose it.
struct Victim {
  std::string uid;
  std::uint64_t id = 0;
};

/// What one journal line resulted in.
struct TakenLine {
  std::uint64_t seq = 0;
  std::optional<Victim> victim{};
  std::optional<Pressure> pressure{};
  /// Set if the victim has a controller.
  std::optional<ControlledEviction> controlled{};
  std::vector<Entry> entries{};
};

/// The state that survives a restart: pending entries, their progress, and the last known line of
/// evictd's journal. Only texts change it. The texts are the lines of its file, so reading the file
/// back restores the same state. Pure.
class QueueState {
 public:
  /// The texts, without line ends.
  [[nodiscard]] static std::string begin_text(const std::string& since);
  [[nodiscard]] static std::string taken_text(const TakenLine& line);
  [[nodiscard]] static std::string cursor_text(std::uint64_t seq);
  [[nodiscard]] static std::string done_text(std::uint64_t number, std::size_t done);
  /// The texts that recreate this state.
  [[nodiscard]] std::vector<std::string> texts() const;

  /// Errors: kMalformed, kInvalid or kUnsupported for any other text; the state is then unchanged.
  [[nodiscard]] Result<> apply(std::string_view text);

  /// When this queue was started. While no journal line is known, the journal is read from this
  /// time on.
  [[nodiscard]] const std::string& since() const { return since_; }
  /// The number of the last line that was taken.
  [[nodiscard]] std::optional<std::uint64_t> cursor() const { return cursor_; }
  /// By number, which is the order of evictd's reports.
  [[nodiscard]] const std::map<std::uint64_t, Entry>& entries() const { return entries_; }
  [[nodiscard]] const CountedEvents& events() const { return events_; }
  /// As evictd last reported it.
  [[nodiscard]] const Pressure& pressure() const { return pressure_; }
  [[nodiscard]] const EvictionLoops& loops() const { return loops_; }
  /// Whether a line of this decision was taken before.
  [[nodiscard]] bool knows_decision(const Victim& victim) const;
  [[nodiscard]] bool knows_victim(const std::string& uid) const;

 private:
  [[nodiscard]] Result<> apply_taken(const nlohmann::json& json);
  void apply_done(const nlohmann::json& json);
  void take_victim(Victim victim);
  void take_entry(Entry entry);

  /// The lines of one decision come within minutes of each other.
  static constexpr std::size_t kMostVictims = 2048;

  std::string since_;
  std::optional<std::uint64_t> cursor_;
  std::map<std::uint64_t, Entry> entries_;
  CountedEvents events_;
  std::deque<Victim> victims_;
  Pressure pressure_;
  EvictionLoops loops_;
};

/// Two events with the same key are the same event.
[[nodiscard]] std::string event_key(const EventNote& event, const std::string& uid);

}  // namespace evictd::kube
