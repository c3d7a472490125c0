// SPDX-License-Identifier: Apache-2.0
#include "sys/mount_table.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace evictd::sys {

namespace {

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

std::optional<Mount> parse_line(std::string_view line) {
  constexpr std::size_t kDevice = 2;
  constexpr std::size_t kRoot = 3;
  constexpr std::size_t kPoint = 4;
  constexpr std::size_t kFirstOptional = 6;
  const std::vector<std::string_view> fields = split(line, ' ');
  if (fields.size() < kFirstOptional) {
    return std::nullopt;
  }
  // Any number of optional fields end with a lone "-"; type, source and options follow.
  const auto dash = std::find(fields.begin() + kFirstOptional, fields.end(), "-");
  if (fields.end() - dash < 4) {
    return std::nullopt;
  }
  return Mount{unescape(fields[kRoot]), unescape(fields[kPoint]),     std::string(dash[1]),
               std::string(dash[3]),    std::string(fields[kDevice]), unescape(dash[2])};
}

/// Whether `path` is `point` or below it.
bool is_within(std::string_view path, std::string_view point) {
  if (point == "/") {
    return path.starts_with('/');
  }
  return path.starts_with(point) && (path.size() == point.size() || path[point.size()] == '/');
}

}  // namespace

// Space, tab, line end and backslash appear as a backslash and three octal digits.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::vector<Mount> parse_mounts(std::string_view text) {
  std::vector<Mount> mounts;
  for (const std::string_view line : split(text, '\n')) {
    if (std::optional<Mount> mount = parse_line(line)) {
      mounts.push_back(std::move(*mount));
    }
  }
  return mounts;
}

const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path) {
  const Mount* best = nullptr;
  for (const Mount& mount : mounts) {
    if (is_within(path, mount.point) &&
        (best == nullptr || mount.point.size() >= best->point.size())) {
      best = &mount;
    }
  }
  return best;
}

std::vector<Mount> parse_mount_table(std::string_view text) {
  std::vector<Mount> mounts = parse_mounts(text);
  std::stable_partition(mounts.begin(), mounts.end(),
                        [](const Mount& mount) { return mount.root == "/"; });
  return mounts;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) {
      parts.push_back(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace evictd::sys
