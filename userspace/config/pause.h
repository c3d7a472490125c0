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

/// For how long `text` pauses: a Go duration above 0s up to 24h, for a pause is for the time of a
/// repair; what is to last longer belongs into the configuration. Errors: kInvalid.
[[nodiscard]] Result<Duration> parse_pause_length(const std::string& text);

/// The signal that `name` is under `compat`. Errors: kInvalid, with all that there are.
[[nodiscard]] Result<eviction::Signal> parse_paused_signal(std::string_view name,
                                                           eviction::Compat compat);

}  // namespace evictd::config
