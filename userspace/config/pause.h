// SPDX-License-Identifier: Apache-2.0
// What may be asked for with a pause: whoever asks and whoever is asked judge it alike.
#pragma once

#include <string>
#include <string_view>

#include "evictd/result.h"
#include "evictd/time.h"
#include "eviction/compat.h"
#include "eviction/signal.h"

namespace evictd::config {

/// Parses the length of a pause: a Go duration above 0s up to 24h. A pause covers a repair;
/// anything longer belongs in the configuration. Errors: kInvalid.
[[nodiscard]] Result<Duration> parse_pause_length(const std::string& text);

/// Parses the signal `name` under `compat`. Errors: kInvalid, listing all signals.
[[nodiscard]] Result<eviction::Signal> parse_paused_signal(std::string_view name,
                                                           eviction::Compat compat);

}  // namespace evictd::config
