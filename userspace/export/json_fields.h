// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::exporting {

/// Reads the members of one JSON object by name and type, and keeps the first error. So a caller
/// that reads forty fields checks once at the end. After an error every reader returns zero, an
/// empty value or nullopt.
class JsonFields {
 public:
  using Json = nlohmann::ordered_json;

  /// `place` names the object in errors: "ranking[2]", empty for the whole text. `object` and
  /// `failure` are borrowed; `failure` receives the first error.
  JsonFields(const Json& object, std::string place, std::optional<Error>& failure);

  /// An integer from `least` to `most`.
  std::int64_t whole(const char* key, std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                     std::int64_t most = std::numeric_limits<std::int64_t>::max());
  /// The same, or null.
  std::optional<std::int64_t> whole_or_null(const char* key);
  /// A moment on CLOCK_MONOTONIC in nanoseconds, from 0 to 2^61, so that no sum of two overflows.
  MonoTime moment(const char* key);
  std::optional<MonoTime> moment_or_null(const char* key);
  /// A list of moments.
  std::vector<MonoTime> moments(const char* key);
  bool truth(const char* key);
  std::string text(const char* key);
  std::vector<std::string> texts(const char* key);
  std::map<std::string, std::string> text_map(const char* key);
  /// A time in RFC 3339.
  WallTime wall_time(const char* key);
  /// The list; empty if it is missing or no list.
  const Json& list(const char* key);
  const Json& object(const char* key);
  /// A member of any type; null if it is missing.
  const Json& member(const char* key);
  /// Whether the member exists and is not null.
  [[nodiscard]] bool has(const char* key) const;
  /// Readers for nested objects: in the list `key` at an index, or the object `key`.
  JsonFields at(const char* key, std::size_t index);
  JsonFields below(const char* key);

  /// Records an error about `key`, unless there is one already.
  void refuse(const char* key, std::string_view what);
  /// The same with the member's value, shortened to fit a line.
  void refuse(const char* key, std::string_view what, const Json& value);
  [[nodiscard]] bool failed() const { return failure_->has_value(); }

 private:
  [[nodiscard]] const Json* find(const char* key);
  /// `value` is the member `key`.
  std::int64_t whole_of(const Json& value, const char* key, std::int64_t least, std::int64_t most);

  const Json* object_;
  std::string place_;
  std::optional<Error>* failure_;
};

/// The largest moment and duration accepted: no sum of two overflows.
inline constexpr std::int64_t kLastMoment = std::int64_t{1} << 61U;

}  // namespace evictd::exporting
