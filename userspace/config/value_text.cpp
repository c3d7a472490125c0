// SPDX-License-Identifier: Apache-2.0
// How values and what is wrong with them are shown.
#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "config/value.h"

namespace evictd::config {
namespace {

/// `amount` in the largest of `units` that keeps it whole; each unit is `base` times the one
/// before.
std::string in_units(std::int64_t amount, std::int64_t base,
                     std::span<const std::string_view> units) {
  std::string_view unit;
  for (const std::string_view larger : units) {
    if (amount == 0 || amount % base != 0) {
      break;
    }
    amount /= base;
    unit = larger;
  }
  return fmt::format("{}{}", amount, unit);
}

}  // namespace

Failure refuse(const Problem& problem) {
  std::string text(problem.filename);
  if (problem.line > 0) {
    text += fmt::format(":{}", problem.line);
  }
  for (const std::string_view part : {problem.key, problem.shown, problem.reason}) {
    if (!part.empty()) {
      text += fmt::format(": {}", part);
    }
  }
  text += fmt::format("; allowed: {}", problem.allowed);
  return fail(Errc::kInvalid, std::move(text));
}

Failure Value::refuse(std::string_view reason, std::string_view allowed) const {
  return config::refuse({.filename = filename,
                         .line = node.line,
                         .key = key,
                         .shown = shown(node),
                         .reason = reason,
                         .allowed = allowed});
}

std::string format_duration(Duration duration) {
  struct Unit {
    Duration size;
    std::string_view name;
  };
  static constexpr std::array<Unit, 6> kUnits = {{{std::chrono::hours(1), "h"},
                                                  {std::chrono::minutes(1), "m"},
                                                  {std::chrono::seconds(1), "s"},
                                                  {std::chrono::milliseconds(1), "ms"},
                                                  {std::chrono::microseconds(1), "us"},
                                                  {std::chrono::nanoseconds(1), "ns"}}};
  if (duration == Duration{0}) {
    return "0s";
  }
  std::string text = duration < Duration{0} ? "-" : "";
  for (const Unit& unit : kUnits) {
    const auto count = duration / unit.size;
    duration %= unit.size;
    if (count != 0) {
      text += fmt::format("{}{}", count < 0 ? -count : count, unit.name);
    }
  }
  return text;
}

std::string format_bytes(Bytes bytes) {
  static constexpr std::array<std::string_view, 6> kBinary = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  static constexpr std::array<std::string_view, 6> kDecimal = {"k", "M", "G", "T", "P", "E"};
  const std::string binary = in_units(bytes.value, 1024, kBinary);
  std::string decimal = in_units(bytes.value, 1000, kDecimal);
  return decimal.size() < binary.size() ? decimal : binary;
}

}  // namespace evictd::config
