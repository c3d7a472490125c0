// SPDX-License-Identifier: Apache-2.0
#include "notify_client/control_words.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "evictd/try.h"

namespace evictd::notify_client {
namespace {

template <typename Value, std::size_t Size>
using Words = std::array<std::pair<std::string_view, Value>, Size>;

constexpr Words<evictd_notify_signal, 8> kFiles{{
    {"memory.usage_in_bytes", EVICTD_NOTIFY_USAGE},
    {"memory.current", EVICTD_NOTIFY_USAGE},
    {"memory.memsw.usage_in_bytes", EVICTD_NOTIFY_MEMSW},
    {"pids.current", EVICTD_NOTIFY_PIDS},
    {"memory.pressure_level", EVICTD_NOTIFY_PRESSURE},
    {"memory.oom_control", EVICTD_NOTIFY_OOM},
    {"memory.events", EVICTD_NOTIFY_OOM},
    {"memory.events.local", EVICTD_NOTIFY_OOM},
}};
constexpr Words<evictd_notify_level, 3> kLevels{{
    {"low", EVICTD_NOTIFY_LOW},
    {"medium", EVICTD_NOTIFY_MEDIUM},
    {"critical", EVICTD_NOTIFY_CRITICAL},
}};
constexpr Words<evictd_notify_mode, 3> kModes{{
    {"default", EVICTD_NOTIFY_DEFAULT},
    {"hierarchy", EVICTD_NOTIFY_HIERARCHY},
    {"local", EVICTD_NOTIFY_LOCAL},
}};
constexpr std::string_view kSuffixes = "KMGTPE";
constexpr double kMillionthsOfPercent = 10000;

template <typename Value, std::size_t Size>
std::optional<Value> find(const Words<Value, Size>& words, std::string_view word) {
  for (const auto& [name, value] : words) {
    if (name == word) {
      return value;
    }
  }
  return std::nullopt;
}

Failure not_allowed(std::string_view text, const char* allowed) {
  return fail_errno(EINVAL, "\"" + std::string(text) + "\"; allowed: " + allowed);
}

/// v1 trims only the end of the written text. A blank before the threshold is part of it and makes
/// it no number. Source: memcg_write_event_control().
std::string_view without_blanks_behind(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\n\r\v\f") + 1);
}

/// The exponent of two for a suffix, -1 for another letter.
int shift_of(char suffix) {
  const char upper =
      suffix >= 'a' && suffix <= 'z' ? static_cast<char>(suffix - 'a' + 'A') : suffix;
  const std::size_t index = kSuffixes.find(upper);
  return index == std::string_view::npos ? -1 : 10 * (static_cast<int>(index) + 1);
}

Result<evictd_notify_watch> parse_pressure(std::string_view text) {
  constexpr const char* kAllowed =
      "low, medium or critical, then ,default or ,hierarchy or ,local or nothing";
  const std::size_t comma = text.find(',');
  const std::optional<evictd_notify_level> level = find(kLevels, text.substr(0, comma));
  const std::optional<evictd_notify_mode> mode = comma == std::string_view::npos
                                                     ? EVICTD_NOTIFY_DEFAULT
                                                     : find(kModes, text.substr(comma + 1));
  if (!level || !mode) {
    return not_allowed(text, kAllowed);
  }
  evictd_notify_watch watch{};
  watch.signal = EVICTD_NOTIFY_PRESSURE;
  watch.threshold = *level;
  watch.mode = *mode;
  return watch;
}

/// "92.5%" without the percent sign.
Result<std::uint64_t> parse_percent(std::string_view text) {
  double percent = -1;
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), percent, std::chars_format::fixed);
  if (problem != std::errc() || end != text.data() + text.size() || !(percent >= 0) ||
      percent > 100) {
    return not_allowed(text, "0 to 100 percent");
  }
  // Rounded: 92.1 has no exact binary fraction.
  return static_cast<std::uint64_t>(std::llround(percent * kMillionthsOfPercent));
}

bool is_counted_in_pages(evictd_notify_signal signal) {
  return signal == EVICTD_NOTIFY_USAGE || signal == EVICTD_NOTIFY_MEMSW;
}

}  // namespace

Result<ControlFile> parse_control_file(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (const std::optional<evictd_notify_signal> signal = find(kFiles, name)) {
    // As dirname(): removes all slashes before the file's name.
    std::string directory =
        slash == std::string::npos ? "." : path.substr(0, path.find_last_not_of('/', slash) + 1);
    return ControlFile{.directory = directory.empty() ? "/" : std::move(directory),
                       .signal = *signal};
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return fail_errno(errno, path);
  }
  if (!S_ISDIR(status.st_mode)) {
    return not_allowed(path,
                       "a cgroup's directory, or memory.usage_in_bytes, memory.current, "
                       "memory.memsw.usage_in_bytes, pids.current, memory.pressure_level, "
                       "memory.oom_control, memory.events or memory.events.local in it");
  }
  return ControlFile{.directory = path, .signal = EVICTD_NOTIFY_USAGE};
}

Result<std::uint64_t> parse_amount(std::string_view text) {
  constexpr const char* kAllowed =
      "a number (decimal, 0x... or 0...) with an optional suffix K, M, G, T, P or E; -1 for the "
      "maximum";
  if (text == "-1") {
    return std::numeric_limits<std::uint64_t>::max();
  }
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const bool octal = !hexadecimal && text.size() > 1 && text.starts_with('0');
  const std::string_view digits = hexadecimal ? text.substr(2) : text;
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                              hexadecimal ? 16 : (octal ? 8 : 10));
  const std::string_view suffix = digits.substr(static_cast<std::size_t>(end - digits.data()));
  const int shift = suffix.size() == 1 ? shift_of(suffix.front()) : 0;
  if (problem != std::errc() || suffix.size() > 1 || shift < 0) {
    return not_allowed(text, kAllowed);
  }
  if (value > (std::numeric_limits<std::uint64_t>::max() >> shift)) {
    return not_allowed(text, "less than 2^64");
  }
  return value << shift;
}

Result<evictd_notify_watch> parse_control_arguments(evictd_notify_signal signal,
                                                    std::string_view text) {
  const std::string_view words = without_blanks_behind(text);
  if (signal == EVICTD_NOTIFY_PRESSURE) {
    return parse_pressure(words);
  }
  evictd_notify_watch watch{};
  watch.signal = signal;
  if (signal == EVICTD_NOTIFY_OOM) {
    return words.empty() ? Result<evictd_notify_watch>(watch)
                         : not_allowed(words, "nothing for the OOM killer");
  }
  const bool percent = words.ends_with('%');
  EVICTD_ASSIGN_OR_RETURN(
      const std::uint64_t amount,
      percent ? parse_percent(words.substr(0, words.size() - 1)) : parse_amount(words));
  watch.unit = percent ? EVICTD_NOTIFY_OF_LIMIT : EVICTD_NOTIFY_ABSOLUTE;
  watch.threshold = amount;
  if (!percent && is_counted_in_pages(signal)) {
    watch.threshold &= ~(static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) - 1);
  }
  return watch;
}

}  // namespace evictd::notify_client
