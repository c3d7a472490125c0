// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "evictd/time.h"

namespace evictd::cli {

/// One line of the journal as text: time, kind and event. Missing parts are omitted.
[[nodiscard]] std::string event_text(const nlohmann::ordered_json& line);
/// Only the event. Texts from outside are not escaped.
[[nodiscard]] std::string event_words(const nlohmann::ordered_json& line);

/// Finds lines, in a sequence of journal lines, that add nothing new as text. Cost: memory for the
/// id of each decision.
class Repetitions {
 public:
  /// Decisions before `since` are reported only by their progress lines.
  explicit Repetitions(WallTime since) : since_(since) {}

  /// Whether `line`, the next one, only repeats a decision at its end, whose progress lines have
  /// been shown already. False for the first line of a decision, if its earlier line was rotated
  /// away or cannot be read.
  [[nodiscard]] bool take(const nlohmann::ordered_json& line);

 private:
  WallTime since_;
  std::set<std::string> seen_;
};

}  // namespace evictd::cli
