// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "eviction/compat.h"
#include "eviction/signal.h"

namespace evictd::cli {

/// What a node reports to who asks whether it takes a pod.
struct NodeView {
  eviction::ConditionSet conditions;
  eviction::Compat compatibility = eviction::Compat::k1_32;
};

/// Exit status of `admit` without an answer; 1 is one.
inline constexpr int kNoAnswer = 2;

struct AdmitOptions {
  /// File with pods; "-" is standard input.
  std::string path;
  /// Where the daemon answers; asked unless `conditions` is set.
  std::string socket;
  /// Conditions to suppose, separated by commas; empty text for none.
  std::optional<std::string> conditions;
  /// "1.32" or "1.26"; with `conditions` only, unset is 1.32.
  std::optional<std::string> compatibility;
  bool json = false;
};

/// `evictctl admit FILE`: says of each pod of the file whether a node with these conditions takes
/// it, as the kubelet would, with the kubelet's reason and message for each that it refuses.
/// Answers go to `out`, errors to `errors`. Returns the exit status: 0 all are admitted, 1 at least
/// one is refused, 2 there is no answer.
[[nodiscard]] int admit(const AdmitOptions& options, std::ostream& out, std::ostream& errors);

}  // namespace evictd::cli
