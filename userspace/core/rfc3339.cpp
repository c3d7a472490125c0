// SPDX-License-Identifier: Apache-2.0
#include "core/rfc3339.h"

#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>

namespace evictd::core {
namespace {

/// Removes fixed-width numbers and single characters from the front of a text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  [[nodiscard]] std::optional<int> number(std::size_t digits) {
    if (rest_.size() < digits) {
      return std::nullopt;
    }
    int value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (c < '0' || c > '9') {
        return std::nullopt;
      }
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] char front() const { return rest_.empty() ? '\0' : rest_.front(); }

 private:
  std::string_view rest_;
};

std::optional<std::int64_t> fraction_ns(Cursor& cursor) {
  if (!cursor.take('.')) {
    return 0;
  }
  std::int64_t value = 0;
  std::int64_t weight = 100'000'000;
  bool any = false;
  while (cursor.front() >= '0' && cursor.front() <= '9') {
    value += weight * *cursor.number(1);
    weight /= 10;
    any = true;
  }
  return any ? std::optional(value) : std::nullopt;
}

std::optional<std::chrono::minutes> offset(Cursor& cursor) {
  if (cursor.take('Z') || cursor.take('z')) {
    return std::chrono::minutes{0};
  }
  const bool negative = cursor.front() == '-';
  if (!cursor.take('-') && !cursor.take('+')) {
    return std::nullopt;
  }
  const std::optional<int> hours = cursor.number(2);
  if (!hours || !cursor.take(':')) {
    return std::nullopt;
  }
  const std::optional<int> minutes = cursor.number(2);
  if (!minutes || *hours > 23 || *minutes > 59) {
    return std::nullopt;
  }
  const std::chrono::minutes distance = std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
  return negative ? -distance : distance;
}

struct ClockTime {
  int hour, minute, second;
};

std::optional<std::chrono::sys_days> date(Cursor& cursor) {
  const std::optional<int> year = cursor.number(4);
  const bool first = cursor.take('-');
  const std::optional<int> month = cursor.number(2);
  const bool second = cursor.take('-');
  const std::optional<int> day = cursor.number(2);
  if (!year || !first || !month || !second || !day) {
    return std::nullopt;
  }
  const std::chrono::year_month_day ymd{std::chrono::year{*year},
                                        std::chrono::month{static_cast<unsigned>(*month)},
                                        std::chrono::day{static_cast<unsigned>(*day)}};
  return ymd.ok() ? std::optional(std::chrono::sys_days{ymd}) : std::nullopt;
}

std::optional<ClockTime> clock_time(Cursor& cursor) {
  const std::optional<int> hour = cursor.number(2);
  const bool first = cursor.take(':');
  const std::optional<int> minute = cursor.number(2);
  const bool second = cursor.take(':');
  const std::optional<int> seconds = cursor.number(2);
  if (!hour || !first || !minute || !second || !seconds || *hour > 23 || *minute > 59 ||
      *seconds > 60) {
    return std::nullopt;
  }
  return ClockTime{*hour, *minute, *seconds};
}

Failure malformed(std::string_view text) {
  return fail(Errc::kMalformed,
              "not a time like 2024-01-31T12:00:00Z: \"" + std::string(text) + "\"");
}

}  // namespace

Result<WallTime> wall_time_from_rfc3339(std::string_view text) {
  Cursor cursor(text);
  const std::optional<std::chrono::sys_days> day = date(cursor);
  if (!day || (!cursor.take('T') && !cursor.take('t'))) {
    return malformed(text);
  }
  const std::optional<ClockTime> clock = clock_time(cursor);
  if (!clock) {
    return malformed(text);
  }
  const std::optional<std::int64_t> nanoseconds = fraction_ns(cursor);
  const std::optional<std::chrono::minutes> east = nanoseconds ? offset(cursor) : std::nullopt;
  if (!east || !cursor.empty()) {
    return malformed(text);
  }
  const std::chrono::sys_seconds seconds =
      std::chrono::sys_seconds{*day} + std::chrono::hours{clock->hour} +
      std::chrono::minutes{clock->minute} + std::chrono::seconds{clock->second} - *east;
  const std::chrono::sys_days kFirst{std::chrono::year{1678} / 1 / 1};
  const std::chrono::sys_days kAfterLast{std::chrono::year{2262} / 1 / 1};
  if (seconds < kFirst || seconds >= kAfterLast) {
    return fail(Errc::kInvalid,
                "time outside the years 1678 to 2261: \"" + std::string(text) + "\"");
  }
  return WallTime{seconds} + std::chrono::nanoseconds{*nanoseconds};
}

}  // namespace evictd::core
