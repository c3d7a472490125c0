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

/// How a list treats duplicate names. evictd refuses them; the 1.26 kubelet does not.
enum class Repeats { kRefused, kDropped };

/// One value of a file, with everything that an error about it names.
struct Value {
  const YamlNode& node;
  std::string_view filename;
  /// Dotted key, "evictionHard[memory.available]" for an entry of a map, "podGlobs[0]" of a list.
  std::string key;
  /// Only read_enforce_node_allocatable() uses it; other lists refuse duplicates.
  Repeats repeats = Repeats::kRefused;

  /// The failure "FILE:LINE: KEY: VALUE: `reason`; allowed: `allowed`", kInvalid.
  [[nodiscard]] Failure refuse(std::string_view reason, std::string_view allowed) const;
};

/// The same error for something that is not a value of a file. `line` 0 omits the line; an empty
/// `shown` omits the value.
struct Problem {
  std::string_view filename;
  int line = 0;
  std::string_view key;
  std::string_view shown;
  std::string_view reason;
  std::string_view allowed;
};
[[nodiscard]] Failure refuse(const Problem& problem);

/// A duration in Go's notation, in the fewest units: "1m30s", "20us", "0s".
[[nodiscard]] std::string format_duration(Duration duration);
/// A number of bytes in the binary or decimal unit that makes it shortest: "4Mi", "32G", "1001".
[[nodiscard]] std::string format_bytes(Bytes bytes);

template <typename T>
struct Range {
  T min{};
  T max{};
};

// The readers below are strict about the YAML type. Their errors say what is allowed.

/// `true` or `false` without quotes.
[[nodiscard]] Result<bool> read_bool(const Value& value);
/// A whole number without quotes.
[[nodiscard]] Result<std::int64_t> read_integer(const Value& value, Range<std::int64_t> range);
/// Go's duration syntax: "10s", "1m30s".
[[nodiscard]] Result<Duration> read_duration(const Value& value, Range<Duration> range);
/// A quantity in Kubernetes notation, a whole number of bytes.
[[nodiscard]] Result<Bytes> read_bytes(const Value& value, Range<Bytes> range);
/// Text that is not empty and that YAML cannot read as a number, boolean or null.
[[nodiscard]] Result<std::string> read_text(const Value& value);
/// An absolute path without ".", ".." and empty parts; one trailing '/' is dropped.
[[nodiscard]] Result<std::string> read_path(const Value& value);
/// A list of paths as for `read_path`, without duplicates.
[[nodiscard]] Result<std::vector<std::string>> read_path_list(const Value& value);

/// The value of `entry` of the map `value`, or item `index` of the list `value`.
[[nodiscard]] Value entry_of(const Value& value, const YamlEntry& entry);
[[nodiscard]] Value item_of(const Value& value, std::size_t index);

/// Refuses a value that is not a map, or not a list.
[[nodiscard]] Result<> expect_map(const Value& value, std::string_view allowed);
[[nodiscard]] Result<> expect_list(const Value& value, std::string_view allowed);

}  // namespace evictd::config
