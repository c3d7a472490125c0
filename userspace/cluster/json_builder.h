// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/document.h"
#include "evictd/result.h"

namespace evictd::cluster {

/// Builds documents from the events of a parser, within limits. After the first failure it ignores
/// every call, and failure() has the error.
class JsonBuilder {
 public:
  /// Finds the line of a value by its path while documents are built.
  struct Watch {
    int document_line = 0;
    std::string path;
  };

  explicit JsonBuilder(const DocumentLimits& limits) : limits_(limits) {}
  JsonBuilder(const DocumentLimits& limits, Watch watch)
      : limits_(limits), watch_(std::move(watch)) {}

  // Each of these takes the line, from 1, of the added value; `anchor` 0 means none.
  void add(nlohmann::json value, int line, std::size_t anchor = 0);
  void add_alias(std::size_t anchor, int line);
  void begin_object(int line, std::size_t anchor = 0);
  void begin_array(int line, std::size_t anchor = 0);
  void add_key(std::string key, int line);
  void end();

  /// Whether the next value is the key of an object.
  [[nodiscard]] bool wants_key() const;
  void fail_at(int line, Errc code, std::string what);
  [[nodiscard]] bool failed() const { return failure_.has_value(); }
  /// Context is "LINE: what".
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] std::vector<Document> take() { return std::move(documents_); }
  [[nodiscard]] std::optional<int> watched_line() const { return watched_line_; }

 private:
  struct Frame {
    nlohmann::json value;
    /// Set between a key and its value.
    std::optional<std::string> key;
    std::size_t anchor = 0;
    /// Number of values when it began.
    std::size_t values_before = 0;
    int line = 1;
    /// Nesting of objects and arrays so far, itself included.
    std::size_t levels = 1;
  };
  struct Anchored {
    nlohmann::json value;
    std::size_t values = 0;
    /// As in a frame; 0 for a scalar.
    std::size_t levels = 0;
  };

  void begin(nlohmann::json value, int line, std::size_t anchor);
  /// `levels` as in Anchored.
  void attach(nlohmann::json value, int line, std::size_t levels);
  [[nodiscard]] bool count(std::size_t values, int line);
  /// Whether `levels` more levels are allowed where the next value goes.
  [[nodiscard]] bool nest(std::size_t levels, int line);
  void look_at(int line);
  [[nodiscard]] std::string path() const;

  DocumentLimits limits_;
  std::vector<Frame> frames_;
  std::map<std::size_t, Anchored> anchors_;
  std::vector<Document> documents_;
  std::vector<int> item_lines_;
  std::size_t values_ = 0;
  std::optional<Error> failure_;
  std::optional<Watch> watch_;
  std::optional<int> watched_line_;
};

}  // namespace evictd::cluster
