// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evictd::cluster {

/// A place in a JSON document, with its path. Reading never stops: a value of the wrong type reads
/// as absent. The first such problem, with its path, is stored where the root's caller asked.
/// Absent and null are the same. A reader must not outlive the document or that storage.
class JsonReader {
 public:
  JsonReader(const nlohmann::json& value, std::optional<std::string>& problem)
      : value_(&value), problem_(&problem) {}

  [[nodiscard]] bool present() const { return !value_->is_null(); }
  [[nodiscard]] const nlohmann::json& value() const { return *value_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool failed() const { return problem_->has_value(); }

  /// The member `key` of an object; absent if the object has none.
  [[nodiscard]] JsonReader at(std::string_view key) const;
  /// All members of an object, all elements of an array; empty if absent.
  std::vector<std::pair<std::string, JsonReader>> members() const;
  [[nodiscard]] std::vector<JsonReader> elements() const;
  /// A text, empty if absent.
  [[nodiscard]] std::string text() const;
  /// A text for one line of a log: control characters, tab and line ends included, are rejected.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool flag() const;
  /// A whole number from `lowest` to `highest`.
  [[nodiscard]] std::optional<std::int64_t> integer(std::int64_t lowest,
                                                    std::int64_t highest) const;

  /// Reports that this value, which the report contains, is not allowed.
  void reject(std::string_view why) const;

 private:
  JsonReader(const nlohmann::json& value, std::optional<std::string>* problem, std::string path)
      : value_(&value), problem_(problem), path_(std::move(path)) {}

  const nlohmann::json* value_;
  std::optional<std::string>* problem_;
  std::string path_;
};

}  // namespace evictd::cluster
