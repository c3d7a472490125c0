// SPDX-License-Identifier: Apache-2.0
#include "config/poll_interval.h"

#include <fmt/format.h>

#include "core/go_duration.h"

namespace evictd::config {

Result<Duration> parse_poll_interval(std::string_view text) {
  const Result<Duration> interval = core::parse_go_duration(text);
  if (!interval || *interval < kPollIntervals.min || *interval > kPollIntervals.max) {
    return fail(Errc::kInvalid, fmt::format("\"{}\": not allowed; allowed: a duration from {} to "
                                            "{}, such as 10s",
                                            text, format_duration(kPollIntervals.min),
                                            format_duration(kPollIntervals.max)));
  }
  return *interval;
}

std::string poll_interval_problem(std::string_view text) {
  const Result<Duration> interval = parse_poll_interval(text);
  return interval ? std::string() : interval.error().message();
}

}  // namespace evictd::config
