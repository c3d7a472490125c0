// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/yaml_tree.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::config {

/// What becomes of a name that a list has again. evictd is strict where the 1.26 kubelet is not.
enum class Repeats { kRefused, kDropped };

/// One value of a file together with everything that an error about it names.
struct Value {
  const YamlNode& node;
  std::string_view filename;
  /// Dotted key, "evictionHard[memory.available]" for an entry of a map, "podGlobs[0]" of a list.
  std::string key;
  /// For read_enforce_node_allocatable() alone; other lists have repeats refused.
  Repeats repeats = Repeats::kRefused;

  /// The failure "FILE:LINE: KEY: VALUE: `reason`; allowed: `allowed`", kInvalid.
  [[nodiscard]] Failure refuse(std::string_view reason, std::string_view allowed) const;
};

/// The same error about something that is no value of a file; `line` 0 leaves the line out, an
/// empty `shown` the value.
struct Problem {
  std::string_view filename;
  int line = 0;
  std::string_view key;
  std::string_view shown;
  std::string_view reason;
  std::string_view allowed;
};
[[nodiscard]] Failure refuse(const Problem& problem);

/// The node as an error shows it: a scalar as written, cut after 60 characters and with a
/// space for each control character; else what it is.
[[nodiscard]] std::string shown(const YamlNode& node);

/// A time as Go writes and reads it, in the fewest units: "1m30s", "20us", "0s".
[[nodiscard]] std::string format_duration(Duration duration);
/// An amount in the binary or decimal unit in which it is shortest: "4Mi", "32G", "1001".
[[nodiscard]] std::string format_bytes(Bytes bytes);

template <typename T>
struct Range {
  T min{};
  T max{};
};

// Each reader below is strict about the YAML type and refuses with what is allowed.

/// Whether YAML cannot take this scalar for a number or a truth value: quotes, or plain letters.
[[nodiscard]] bool is_text(const YamlNode& node);

/// `true` or `false` without quotes.
[[nodiscard]] Result<bool> read_bool(const Value& value);
/// A whole number without quotes.
[[nodiscard]] Result<std::int64_t> read_integer(const Value& value, Range<std::int64_t> range);
/// Go's duration syntax: "10s", "1m30s".
[[nodiscard]] Result<Duration> read_duration(const Value& value, Range<Duration> range);
/// A quantity in the notation of Kubernetes, a whole number of bytes.
[[nodiscard]] Result<Bytes> read_bytes(const Value& value, Range<Bytes> range);
/// Text that is not empty and that YAML cannot take for a number, truth value or null.
[[nodiscard]] Result<std::string> read_text(const Value& value);
/// An absolute path without ".", ".." and empty parts, one '/' at its end dropped.
[[nodiscard]] Result<std::string> read_path(const Value& value);
/// A list of what `read_path` reads, each once.
[[nodiscard]] Result<std::vector<std::string>> read_path_list(const Value& value);

/// The value of `entry` of the map `value`, or item `index` of the list `value`.
[[nodiscard]] Value entry_of(const Value& value, const YamlEntry& entry);
[[nodiscard]] Value item_of(const Value& value, std::size_t index);

/// Refuses what is no map, or no list.
[[nodiscard]] Result<> expect_map(const Value& value, std::string_view allowed);
[[nodiscard]] Result<> expect_list(const Value& value, std::string_view allowed);

}  // namespace evictd::config
