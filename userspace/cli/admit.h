// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "eviction/compat.h"
#include "eviction/signal.h"

namespace evictd::cli {

/// The node state that decides the admission of a pod.
struct NodeView {
  eviction::ConditionSet conditions;
  eviction::Compat compatibility = eviction::Compat::k1_32;
};

/// Exit status of `admit` without an answer; 1 means a refused pod.
inline constexpr int kNoAnswer = 2;

struct AdmitOptions {
  /// File with pods; "-" is standard input.
  std::string path;
  /// The daemon's control socket; asked unless `conditions` is set.
  std::string socket;
  /// Conditions to assume, separated by commas; an empty text means none.
  std::optional<std::string> conditions;
  /// "1.32" or "1.26"; only with `conditions`, unset means 1.32.
  std::optional<std::string> compatibility;
  bool json = false;
};

/// `evictctl admit FILE`: for each pod of the file, prints whether a node with these conditions
/// admits it, as the kubelet would. For each refused pod it prints the kubelet's reason and
/// message. Answers go to `out`, errors to `errors`. Returns the exit status: 0 all are admitted, 1
/// at least one is refused, 2 no answer.
[[nodiscard]] int admit(const AdmitOptions& options, std::ostream& out, std::ostream& errors);

}  // namespace evictd::cli
