// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

#include "evictd/time.h"

namespace evictd::cli {

/// One line of the journal in words: time, kind and what happened. What a line lacks is left out.
[[nodiscard]] std::string event_text(const nlohmann::ordered_json& line);
/// What happened alone. Texts from outside are in it as they came.
[[nodiscard]] std::string event_words(const nlohmann::ordered_json& line);

/// Knows among lines that come one after another those that tell nothing new as text. Cost: memory
/// for the id of each decision.
class Repetitions {
 public:
  /// A decision from before `since` is told of by its progress alone.
  explicit Repetitions(WallTime since) : since_(since) {}

  /// Whether `line`, which comes next, only repeats a decision with its end, which its progress has
  /// told of. It does not where it is the first of its decision, because the one before was rotated
  /// away or cannot be read.
  [[nodiscard]] bool take(const nlohmann::ordered_json& line);

 private:
  WallTime since_;
  std::set<std::string> seen_;
};

}  // namespace evictd::cli
