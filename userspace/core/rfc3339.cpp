// SPDX-License-Identifier: Apache-2.0
#include "core/rfc3339.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace evictd::core {
namespace {

constexpr std::string_view kDateAndTime = "0000-00-00T00:00:00";

/// Whether `text` begins with a text of this form, in which 0 stands for any digit.
bool has_form(std::string_view text, std::string_view form) {
  const auto fits = [](char wanted, char c) {
    return wanted == '0' ? c >= '0' && c <= '9' : c == wanted || (wanted == 'T' && c == 't');
  };
  return text.size() >= form.size() && std::equal(form.begin(), form.end(), text.begin(), fits);
}

/// The number of `length` digits at `place`, all of which exist.
int number_at(std::string_view text, std::size_t place, std::size_t length) {
  int value = 0;
  for (const char c : text.substr(place, length)) {
    value = value * 10 + (c - '0');
  }
  return value;
}

/// The fraction of a second, removed from the front of `rest`; nullopt for a point without digits.
std::optional<std::int64_t> take_fraction_ns(std::string_view& rest) {
  if (!rest.starts_with('.')) {
    return 0;
  }
  const std::size_t end = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
  std::int64_t value = 0;
  for (std::size_t i = 1; i <= 9; ++i) {
    value = value * 10 + (i < end ? rest[i] - '0' : 0);
  }
  rest.remove_prefix(end);
  return end > 1 ? std::optional(value) : std::nullopt;
}

/// What `text` as a whole says.
std::optional<std::chrono::minutes> offset(std::string_view text) {
  constexpr std::string_view kEast = "+00:00";
  constexpr std::string_view kWest = "-00:00";
  if (text == "Z" || text == "z") {
    return std::chrono::minutes{0};
  }
  if (text.size() != kEast.size() || !(has_form(text, kEast) || has_form(text, kWest)) ||
      number_at(text, 1, 2) > 23 || number_at(text, 4, 2) > 59) {
    return std::nullopt;
  }
  const std::chrono::minutes distance =
      std::chrono::hours{number_at(text, 1, 2)} + std::chrono::minutes{number_at(text, 4, 2)};
  return text.front() == '-' ? -distance : distance;
}

Failure malformed(std::string_view text) {
  return fail(Errc::kMalformed,
              "not a time like 2024-01-31T12:00:00Z: \"" + std::string(text) + "\"");
}

}  // namespace

Result<WallTime> wall_time_from_rfc3339(std::string_view text) {
  if (!has_form(text, kDateAndTime)) {
    return malformed(text);
  }
  const std::chrono::year_month_day day{
      std::chrono::year{number_at(text, 0, 4)},
      std::chrono::month{static_cast<unsigned>(number_at(text, 5, 2))},
      std::chrono::day{static_cast<unsigned>(number_at(text, 8, 2))}};
  const int hour = number_at(text, 11, 2);
  const int minute = number_at(text, 14, 2);
  const int second = number_at(text, 17, 2);
  std::string_view rest = text.substr(kDateAndTime.size());
  const std::optional<std::int64_t> nanoseconds = take_fraction_ns(rest);
  const std::optional<std::chrono::minutes> east = offset(rest);
  if (!day.ok() || hour > 23 || minute > 59 || second > 60 || !nanoseconds || !east) {
    return malformed(text);
  }
  const std::chrono::sys_seconds seconds = std::chrono::sys_days{day} + std::chrono::hours{hour} +
                                           std::chrono::minutes{minute} +
                                           std::chrono::seconds{second} - *east;
  const std::chrono::sys_days kFirst{std::chrono::year{1678} / 1 / 1};
  const std::chrono::sys_days kAfterLast{std::chrono::year{2262} / 1 / 1};
  if (seconds < kFirst || seconds >= kAfterLast) {
    return fail(Errc::kInvalid,
                "time outside the years 1678 to 2261: \"" + std::string(text) + "\"");
  }
  return WallTime{seconds} + std::chrono::nanoseconds{*nanoseconds};
}

}  // namespace evictd::core
