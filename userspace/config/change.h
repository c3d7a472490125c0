// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "evictd/result.h"

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

/// Whether a daemon that runs with `before` may take `after` at a reload.
/// Errors: kInvalid for keys that need a restart: "FILE:LINE: KEY: VALUE: ..." of the first in the
/// order of docs/configuration.md, with the value in force, and the names of the others. Without
/// LINE where the key is not given any more: FILE is the one that had it.
[[nodiscard]] Result<> check_reload(const Config& before, const Config& after);

}  // namespace evictd::config
