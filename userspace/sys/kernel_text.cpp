// SPDX-License-Identifier: Apache-2.0
#include "sys/kernel_text.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace evictd::sys {

namespace {

/// v1 prints "no limit" as the largest multiple of the page size; 64 KiB is the largest page size.
constexpr std::int64_t kSmallestNoLimit = INT64_MAX - 0xffff;

std::string_view without_line_end(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.starts_with('-')) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const std::from_chars_result parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end) {
    return std::nullopt;
  }
  return value;
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::optional<std::int64_t> parse_single_number(std::string_view text) {
  text = without_line_end(text);
  if (text == "max") {
    return kNoLimit;
  }
  const std::optional<std::int64_t> value = whole_number(text);
  return value && *value >= kSmallestNoLimit ? kNoLimit : value;
}

std::optional<std::int64_t> find_stat(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (line.size() > key.size() && line[key.size()] == ' ' && line.substr(0, key.size()) == key) {
      return whole_number(line.substr(key.size() + 1));
    }
  }
  return std::nullopt;
}

std::optional<Bytes> find_meminfo(std::string_view text, std::string_view key) {
  constexpr std::string_view kUnit = " kB";
  while (!text.empty()) {
    std::string_view line = next_line(text);
    if (line.substr(0, key.size()) != key || line.substr(key.size(), 1) != ":") {
      continue;
    }
    line.remove_prefix(key.size() + 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.size() < kUnit.size() || line.substr(line.size() - kUnit.size()) != kUnit) {
      return std::nullopt;
    }
    line.remove_suffix(kUnit.size());
    const std::optional<std::int64_t> kilobytes = whole_number(line);
    if (!kilobytes || *kilobytes < 0 || *kilobytes > INT64_MAX / 1024) {
      return std::nullopt;
    }
    return Bytes{*kilobytes * 1024};
  }
  return std::nullopt;
}

std::optional<std::int64_t> parse_loadavg_tasks(std::string_view text) {
  for (int field = 1; field < 4; ++field) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) {
      return std::nullopt;
    }
    text.remove_prefix(space + 1);
  }
  text = text.substr(0, text.find(' '));
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  const auto tasks = whole_number(without_line_end(text.substr(slash + 1)));
  return tasks && *tasks >= 0 ? tasks : std::nullopt;
}

}  // namespace evictd::sys
