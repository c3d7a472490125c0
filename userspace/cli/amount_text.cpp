// SPDX-License-Identifier: Apache-2.0
#include "cli/amount_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace evictd::cli {

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 6> kUnits{"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f}", bytes) : fmt::format("{:.1f}{}", bytes, kUnits[unit]);
}

bool is_count(std::string_view signal) {
  return signal == "pid.available" || signal.ends_with("inodesFree");
}

std::string amount_text(std::string_view signal, std::int64_t amount) {
  return is_count(signal) ? std::to_string(amount) : bytes_text(static_cast<double>(amount));
}

std::string duration_text(Duration duration) {
  const double us = std::chrono::duration<double, std::micro>(duration).count();
  const double size = std::abs(us);
  if (size < 1e3) {
    return fmt::format("{:.0f} us", us);
  }
  if (size < 1e6) {
    return fmt::format("{:.1f} ms", us / 1e3);
  }
  if (size < 120e6) {
    return fmt::format("{:.1f} s", us / 1e6);
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  return fmt::format("{} min {} s", seconds / 60, std::abs(seconds % 60));
}

std::string grace_text(std::int64_t ms, std::string_view gap) {
  constexpr std::int64_t kPerSecond = 1000;
  if (ms % kPerSecond == 0) {
    return fmt::format("{}{}s", ms / kPerSecond, gap);
  }
  if (ms / kPerSecond == 0) {
    return fmt::format("{}{}ms", ms, gap);
  }
  std::string part = fmt::format("{:03}", std::abs(ms % kPerSecond));
  part.erase(part.find_last_not_of('0') + 1);
  return fmt::format("{}.{}{}s", ms / kPerSecond, part, gap);
}

}  // namespace evictd::cli
