// SPDX-License-Identifier: Apache-2.0
#include "base/rfc3339.h"

#include <fmt/format.h>

#include <chrono>

namespace evictd::base {

std::string rfc3339(WallTime moment, int decimals) {
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(moment - day);
  std::string text = fmt::format(
      "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), time.hours().count(),
      time.minutes().count(), time.seconds().count(), time.subseconds().count());
  text.erase(text.rfind('.') + static_cast<std::size_t>(decimals == 0 ? 0 : decimals + 1));
  return text + 'Z';
}

}  // namespace evictd::base
