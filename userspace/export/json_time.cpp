// SPDX-License-Identifier: Apache-2.0
#include "export/json_time.h"

#include <fmt/format.h>

namespace evictd::exporting {

std::string rfc3339(WallTime moment) {
  const auto us = std::chrono::floor<std::chrono::microseconds>(moment);
  const auto day = std::chrono::floor<std::chrono::days>(us);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(us - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count(),
                     time.subseconds().count());
}

}  // namespace evictd::exporting
