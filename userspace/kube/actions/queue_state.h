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

/// A victim, and by which decision.
struct Victim {
  std::string uid;
  std::uint64_t id = 0;
};

/// What came of one line of the journal.
struct TakenLine {
  std::uint64_t seq = 0;
  std::optional<Victim> victim{};
  std::optional<Pressure> pressure{};
  /// Where the victim has a controller.
  std::optional<ControlledEviction> controlled{};
  std::vector<Entry> entries{};
};

/// What is to be done, how far it is, and up to where evictd's journal is known: all that is kept
/// over a restart. It changes by texts alone, which are its file's lines, so that what is read
/// back is what was there. Pure.
class QueueState {
 public:
  /// The texts, without line ends.
  [[nodiscard]] static std::string begin_text(const std::string& since);
  [[nodiscard]] static std::string taken_text(const TakenLine& line);
  [[nodiscard]] static std::string cursor_text(std::uint64_t seq);
  [[nodiscard]] static std::string done_text(std::uint64_t number, std::size_t done);
  /// Those of which the same state comes.
  [[nodiscard]] std::vector<std::string> texts() const;

  /// Errors: kMalformed, kInvalid or kUnsupported for what is none of these texts; then nothing
  /// has changed.
  [[nodiscard]] Result<> apply(std::string_view text);

  /// When this was begun; the journal is wanted from then on while no line of it is known.
  [[nodiscard]] const std::string& since() const { return since_; }
  /// The number of the last line that was taken.
  [[nodiscard]] std::optional<std::uint64_t> cursor() const { return cursor_; }
  /// By number, which is the order in which evictd told.
  [[nodiscard]] const std::map<std::uint64_t, Entry>& entries() const { return entries_; }
  [[nodiscard]] const CountedEvents& events() const { return events_; }
  /// As evictd told last.
  [[nodiscard]] const Pressure& pressure() const { return pressure_; }
  [[nodiscard]] const EvictionLoops& loops() const { return loops_; }
  /// Whether this decision's line was taken before.
  [[nodiscard]] bool knows_decision(const Victim& victim) const;
  [[nodiscard]] bool knows_victim(const std::string& uid) const;

 private:
  [[nodiscard]] Result<> apply_taken(const nlohmann::json& json);
  void apply_done(const nlohmann::json& json);
  void take_victim(Victim victim);
  void take_entry(Entry entry);

  /// A decision's lines come within minutes of each other.
  static constexpr std::size_t kMostVictims = 2048;

  std::string since_;
  std::optional<std::uint64_t> cursor_;
  std::map<std::uint64_t, Entry> entries_;
  CountedEvents events_;
  std::deque<Victim> victims_;
  Pressure pressure_;
  EvictionLoops loops_;
};

/// What makes two events the same.
[[nodiscard]] std::string event_key(const EventNote& event, const std::string& uid);

}  // namespace evictd::kube
