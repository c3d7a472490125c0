// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "evictd/result.h"

namespace evictd::bench {

/// The values of one measure in one row of a bench.
class Series {
 public:
  void add(double value) { values_.push_back(value); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// Nearest-rank percentile: the smallest value that at least `percent` % of the values do not
  /// exceed. 0 if there are no values.
  [[nodiscard]] double percentile(double percent) const;
  [[nodiscard]] double max() const { return percentile(100); }

 private:
  std::vector<double> values_;
};

/// The raw result of one run of a bench. bench/README.md describes the file's schema.
class Report {
 public:
  /// Where each row and note is printed while the bench runs.
  enum class Lines { kStdout, kNone };
  /// `bench` also names the file: "crossing".
  explicit Report(std::string bench, Lines lines = Lines::kStdout);
  ~Report();
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  Report(Report&&) noexcept;
  Report& operator=(Report&&) noexcept;

  /// Adds {name, params, unit, n, p50, p90, p99, max, samples} and prints it as one line.
  void add(const std::string& name, const nlohmann::json& params, const std::string& unit,
           const Series& series);
  /// The same with "counts", an object of numbers that become separate columns.
  void add(const std::string& name, const nlohmann::json& params, const std::string& unit,
           const Series& series, const nlohmann::ordered_json& counts);
  /// A row of one value.
  void add(const std::string& name, const nlohmann::json& params, const std::string& unit,
           double value);
  /// Adds a note on the whole run: void trials, unresolved differences.
  void note(const std::string& text);
  /// Adds a note to the last row; it is removed if that row is measured again. Requires a row.
  void add_row_note(const std::string& text);
  /// p50, p99 and max of an added row, for ratios; 0 if there is no such row.
  [[nodiscard]] double value(const std::string& name, const nlohmann::json& params,
                             const std::string& field) const;
  /// The text of the file, with machine, date and commit.
  [[nodiscard]] std::string text() const;
  /// Writes the file and hands it out of the virtual machine. Fills in machine, date and commit.
  /// May be called after every row: a reader finds the old file or the new one.
  /// Errors: those of writing it, and of hand_out().
  [[nodiscard]] Result<> write(const std::filesystem::path& path) const;

 private:
  void print(const std::string& line) const;

  std::string bench_;
  Lines lines_;
  std::unique_ptr<nlohmann::json> rows_;
  std::vector<std::string> notes_;
};

}  // namespace evictd::bench
