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

/// Returns every key that differs, in the order of docs/configuration.md.
[[nodiscard]] std::vector<Change> diff(const Config& before, const Config& after);

/// Whether a daemon that runs with `before` may reload to `after`. Errors: kInvalid if a changed
/// key needs a restart. inKernelBrake does not if its mode stays the same. The text is "FILE:LINE:
/// KEY: VALUE: ..." for the first such key in the order of docs/configuration.md. It has the value
/// in force and the names of the other keys. If the key is no longer given, LINE is left out and
/// FILE is the file that had it.
[[nodiscard]] Result<> check_reload(const Config& before, const Config& after);

}  // namespace evictd::config
