// SPDX-License-Identifier: Apache-2.0
#include "config/pause.h"

#include <fmt/format.h>

#include <chrono>

#include "core/go_duration.h"

namespace evictd::config {

namespace {

constexpr Duration kLongestPause = std::chrono::hours(24);

}  // namespace

Result<Duration> parse_pause_length(const std::string& text) {
  const Result<Duration> length = core::parse_go_duration(text);
  if (!length || *length <= Duration::zero() || *length > kLongestPause) {
    return fail(Errc::kInvalid,
                fmt::format("\"{}\": no time to pause; allowed: a duration above 0s up to 24h, "
                            "such as 10m",
                            text));
  }
  return *length;
}

Result<eviction::Signal> parse_paused_signal(std::string_view name, eviction::Compat compat) {
  const eviction::Signal signal = eviction::signal_from_text(name, compat);
  if (signal != eviction::Signal::kUnknown) {
    return signal;
  }
  std::string allowed;
  for (const eviction::Signal known : eviction::kSignals) {
    allowed += (allowed.empty() ? "" : ", ") + std::string(eviction::to_string(known));
  }
  return fail(Errc::kInvalid, fmt::format("\"{}\": unknown; allowed: {}", name, allowed));
}

}  // namespace evictd::config
