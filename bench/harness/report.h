// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "evictd/result.h"

namespace evictd::bench {

/// The values of one measure of one row of a bench.
class Series {
 public:
  void add(double value) { values_.push_back(value); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }
  /// Nearest-rank percentile: the smallest value that at least `percent` % do not exceed. 0 of
  /// none.
  [[nodiscard]] double percentile(double percent) const;
  [[nodiscard]] double max() const { return percentile(100); }

 private:
  std::vector<double> values_;
};

/// The raw result of one run of a bench: bench/README.md has the schema of the file.
class Report {
 public:
  /// `bench` names the file too: "crossing".
  explicit Report(std::string bench);
  ~Report();
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  Report(Report&&) noexcept;
  Report& operator=(Report&&) noexcept;

  /// Adds {name, params, unit, n, p50, p90, p99, max, samples} and prints it as one line.
  void add(const std::string& name, const nlohmann::json& params, const std::string& unit,
           const Series& series);
  /// The same with "counts", an object of numbers that become columns of their own.
  void add(const std::string& name, const nlohmann::json& params, const std::string& unit,
           const Series& series, const nlohmann::ordered_json& counts);
  /// Adds a remark that belongs to the whole run: what was voided, what is not resolved.
  void note(const std::string& text);
  /// p50, p99 and max of a row that was added, for ratios; 0 if there is none.
  [[nodiscard]] double value(const std::string& name, const nlohmann::json& params,
                             const std::string& field) const;
  /// Writes the file. Machine, date and commit are filled in here.
  [[nodiscard]] Result<> write(const std::filesystem::path& path) const;

 private:
  std::string bench_;
  std::unique_ptr<nlohmann::json> rows_;
  std::vector<std::string> notes_;
};

}  // namespace evictd::bench
