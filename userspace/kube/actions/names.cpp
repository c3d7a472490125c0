// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/names.h"

#include <fmt/format.h>

namespace evictd::kube {

namespace {

constexpr std::size_t kLongestName = 253;
/// A dot and 64 bits in hexadecimal.
constexpr std::size_t kLongestMoment = 17;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

bool is_object_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName || !is_letter_or_digit(name.front()) ||
      !is_letter_or_digit(name.back())) {
    return false;
  }
  // Two dots in a row could climb up a path.
  return name.find("..") == std::string_view::npos &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-") == std::string_view::npos;
}

std::string event_name(std::string_view object, std::uint64_t nanoseconds) {
  object = object.substr(0, kLongestName - kLongestMoment);
  while (!object.empty() && !is_letter_or_digit(object.back())) {
    object.remove_suffix(1);
  }
  return fmt::format("{}.{:x}", object, nanoseconds);
}

}  // namespace evictd::kube
