// SPDX-License-Identifier: Apache-2.0
// What readers of states and of passes share. A recording may come from anywhere. Every number
// is bounded so that no arithmetic of a pass can overflow, and every place is one that exists.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "export/json_fields.h"
#include "replay/recording.h"

namespace evictd::replay {

/// More than any amount of bytes, inodes or tasks of a real node.
inline constexpr std::int64_t kMostAmount = std::int64_t{1} << 61U;

/// The largest number of a pod: tables have a place for each.
inline constexpr std::int64_t kMostPods = 1'000'000;

/// Whether it is a whole number from `least` to `most`.
[[nodiscard]] bool is_number(const Json& json, std::int64_t least, std::int64_t most);

/// A list of exactly N whole numbers of at most kMostAmount in size; zeros for anything else.
template <std::size_t N>
std::array<std::int64_t, N> numbers(exporting::JsonFields& fields, const char* key,
                                    const Json& list) {
  std::array<std::int64_t, N> values{};
  if (!list.is_array() || list.size() != N) {
    fields.refuse(key, "not a list of " + std::to_string(N) + " numbers");
    return values;
  }
  for (std::size_t i = 0; i < N; ++i) {
    if (!is_number(list[i], -kMostAmount, kMostAmount)) {
      fields.refuse(key, "not whole numbers only, or too large");
      return {};
    }
    values[i] = list[i].get<std::int64_t>();
  }
  return values;
}

template <std::size_t N>
std::array<std::int64_t, N> numbers(exporting::JsonFields& fields, const char* key) {
  return numbers<N>(fields, key, fields.list(key));
}

/// A moment of so many nanoseconds, not before the clock began.
MonoTime moment_of(exporting::JsonFields& fields, const char* key, std::int64_t ns);

/// One moment or null for each place of `moments`.
template <std::size_t N>
void read_moments(exporting::JsonFields& fields, const char* key,
                  std::array<std::optional<MonoTime>, N>& moments) {
  const Json& list = fields.list(key);
  if (list.size() != N) {
    fields.refuse(key, "not a list of " + std::to_string(N) + " moments");
    return;
  }
  for (std::size_t i = 0; i < N; ++i) {
    if (list[i].is_null()) {
      continue;
    }
    if (!is_number(list[i], 0, exporting::kLastMoment)) {
      fields.refuse(key, "not moments");
      return;
    }
    moments[i] = MonoTime(Duration(list[i].get<std::int64_t>()));
  }
}

/// Every signal that `object`, which `fields` reads, has a member for.
[[nodiscard]] eviction::Observations read_observations(exporting::JsonFields fields,
                                                       const Json& object);
/// Unset for null.
[[nodiscard]] std::optional<eviction::DiskLayout> read_layout(exporting::JsonFields& fields,
                                                              const char* key);

}  // namespace evictd::replay
