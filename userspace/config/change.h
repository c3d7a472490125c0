// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace evictd::config {

/// When a changed key takes effect.
enum class Effect {
  kReload,   ///< At once, when the daemon reloads its configuration.
  kRestart,  ///< Only when the daemon starts again; a reload that changes it is refused.
};

/// One key whose value differs between two configurations; values as JSON text.
struct Change {
  std::string key;
  Effect effect = Effect::kReload;
  std::string before;
  std::string after;

  bool operator==(const Change&) const = default;
};

/// Every key that differs, in the order of docs/configuration.md.
[[nodiscard]] std::vector<Change> diff(const Config& before, const Config& after);

/// The keys of `changes` that need a restart, joined by ", "; empty if there are none.
[[nodiscard]] std::string restart_keys(const std::vector<Change>& changes);

}  // namespace evictd::config
