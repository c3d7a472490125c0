// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "evictd/time.h"
#include "export/json_fields.h"

namespace evictd::exporting {

/// The form of a value that is no structure, with the numbers that a reader accepts. Moments and
/// durations are in nanoseconds.
struct Scalar {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();

  template <typename V>
  [[nodiscard]] JsonFields::Json json(const V& value) const {
    if constexpr (std::is_same_v<V, MonoTime>) {
      return value.time_since_epoch().count();
    } else if constexpr (std::is_same_v<V, Duration>) {
      return value.count();
    } else {
      return value;
    }
  }

  template <typename V>
  void read(JsonFields& fields, const char* key, V& into) const {
    if constexpr (std::is_same_v<V, bool>) {
      into = fields.truth(key);
    } else if constexpr (std::is_same_v<V, std::string>) {
      into = fields.text(key);
    } else if constexpr (std::is_same_v<V, std::vector<std::string>>) {
      into = fields.texts(key);
    } else if constexpr (std::is_same_v<V, std::map<std::string, std::string>>) {
      into = fields.text_map(key);
    } else if constexpr (std::is_same_v<V, MonoTime>) {
      into = MonoTime(Duration(fields.whole(key, least, most)));
    } else if constexpr (std::is_same_v<V, Duration>) {
      into = Duration(fields.whole(key, least, most));
    } else {
      into = static_cast<V>(fields.whole(key, least, most));
    }
  }
};

inline constexpr Scalar kNotNegative{.least = 0};

/// What the type can hold; for a moment no more than the sum of two can.
template <typename V>
inline constexpr Scalar kScalarOf{};
template <>
inline constexpr Scalar kScalarOf<std::uint64_t> = kNotNegative;
template <>
inline constexpr Scalar kScalarOf<std::uint32_t>{0, std::numeric_limits<std::uint32_t>::max()};
template <>
inline constexpr Scalar kScalarOf<std::int32_t>{std::numeric_limits<std::int32_t>::min(),
                                                std::numeric_limits<std::int32_t>::max()};
template <>
inline constexpr Scalar kScalarOf<Duration> = kNotNegative;
template <>
inline constexpr Scalar kScalarOf<MonoTime>{0, kLastMoment};
template <typename V>
inline constexpr Scalar kScalarOf<std::optional<V>> = kScalarOf<V>;

}  // namespace evictd::exporting
