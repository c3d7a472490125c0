// SPDX-License-Identifier: Apache-2.0
#include "core/nearest_name.h"

#include <algorithm>
#include <array>
#include <utility>

namespace evictd::core {
namespace {

/// No key is nearly as long; further characters cannot change the nearest one.
constexpr std::size_t kComparedLength = 64;

using Row = std::array<std::size_t, kComparedLength + 1>;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same(char a, char b) {
  return lower(a) == lower(b);
}

/// One or two letters are the start of too many names.
constexpr std::size_t kShortestBeginning = 3;

bool is_beginning(std::string_view name, std::string_view whole) {
  return name.size() >= kShortestBeginning && name.size() <= whole.size() &&
         std::equal(name.begin(), name.end(), whole.begin(), same);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, kComparedLength);
  b = b.substr(0, kComparedLength);
  Row two_above{};
  Row above{};
  Row current{};
  for (std::size_t j = 0; j <= b.size(); ++j) {
    above[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      current[j] = std::min({above[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        current[j] = std::min(current[j], two_above[j - 2] + 1);
      }
    }
    two_above = std::exchange(above, current);
  }
  return above[b.size()];
}

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  const auto nearer = [](const std::string* best, const std::string& one) {
    return best == nullptr || one.size() < best->size();
  };
  const std::string* whole = nullptr;
  for (const std::string& one : known) {
    if (is_beginning(name, one) && nearer(whole, one)) {
      whole = &one;
    }
  }
  if (whole != nullptr) {
    return *whole;
  }
  const auto nearest =
      std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
        return edit_distance(name, a) < edit_distance(name, b);
      });
  return nearest == known.end() ? std::string() : *nearest;
}

}  // namespace evictd::core
