// SPDX-License-Identifier: Apache-2.0
#include "harness/report.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "harness/hand_out.h"
#include "stage/hierarchies.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

using nlohmann::json;

/// The first line of `path` that starts with `key`, without the key: "model name : X" gives "X".
std::string field_of(const std::filesystem::path& path, const std::string& key) {
  std::istringstream lines{stage::read_text(path).value_or(std::string{})};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key)) {
      const std::size_t start = line.find_first_not_of(": \t", key.size());
      return start == std::string::npos ? std::string{} : line.substr(start);
    }
  }
  return {};
}

json machine() {
  utsname system{};
  ::uname(&system);
  const Result<stage::Hierarchies> found = stage::Hierarchies::detect();
  json result = {
      {"kernel", system.release},
      {"architecture", system.machine},
      {"cpu", field_of("/proc/cpuinfo", "model name")},
      {"cpus", ::sysconf(_SC_NPROCESSORS_ONLN)},
      {"memory", field_of("/proc/meminfo", "MemTotal")},
      {"hypervisor", field_of("/proc/cpuinfo", "flags").find("hypervisor") != std::string::npos}};
  result["cgroup"] = !found ? "none" : found->unified() ? "v2" : "v1";
  return result;
}

std::string first_line_of(const char* command) {
  std::array<char, 256> line{};
  if (std::FILE* pipe = ::popen(command, "r"); pipe != nullptr) {
    static_cast<void>(std::fgets(line.data(), line.size(), pipe));
    ::pclose(pipe);
  }
  std::string text = line.data();
  text.resize(text.find_last_not_of('\n') + 1);
  return text;
}

/// The commit of the measured tree; a machine without the tree gets it from the environment.
std::string commit() {
  const char* told = std::getenv("EVICTD_COMMIT");
  return told != nullptr
             ? told
             : first_line_of("git -C " EVICTD_SOURCE_DIR " rev-parse --short=12 HEAD 2>/dev/null");
}

std::string now_utc() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm fields{};
  ::gmtime_r(&now, &fields);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &fields);
  return text.data();
}

/// Three decimals are finer than the resolution of any clock here.
double rounded(double value) {
  return std::round(value * 1000) / 1000;
}

}  // namespace

double Series::percentile(double percent) const {
  if (values_.empty()) {
    return 0;
  }
  std::vector<double> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  const auto index = static_cast<std::size_t>(std::max(rank, 1.0)) - 1;
  return sorted[std::min(index, sorted.size() - 1)];
}

Report::Report(std::string bench, Lines lines)
    : bench_(std::move(bench)), lines_(lines), rows_(std::make_unique<json>(json::array())) {}
Report::~Report() = default;
Report::Report(Report&&) noexcept = default;
Report& Report::operator=(Report&&) noexcept = default;

void Report::add(const std::string& name, const json& params, const std::string& unit,
                 const Series& series) {
  json samples = json::array();
  for (const double value : series.values()) {
    samples.push_back(rounded(value));
  }
  rows_->push_back({{"name", name},
                    {"params", params},
                    {"unit", unit},
                    {"n", series.size()},
                    {"p50", rounded(series.percentile(50))},
                    {"p90", rounded(series.percentile(90))},
                    {"p99", rounded(series.percentile(99))},
                    {"max", rounded(series.max())},
                    {"samples", std::move(samples)}});
  std::array<char, 512> line{};
  static_cast<void>(std::snprintf(
      line.data(), line.size(), "%-22s %-78s %4zu  p50 %10.2f  p99 %10.2f  max %10.2f %s",
      name.c_str(), params.dump().c_str(), series.size(), series.percentile(50),
      series.percentile(99), series.max(), unit.c_str()));
  print(line.data());
}

void Report::add(const std::string& name, const json& params, const std::string& unit,
                 const Series& series, const nlohmann::ordered_json& counts) {
  add(name, params, unit, series);
  // As pairs, because the caller decides the order of the columns.
  json pairs = json::array();
  for (const auto& [key, value] : counts.items()) {
    pairs.push_back({key, value});
  }
  rows_->back()["counts"] = std::move(pairs);
  print("  " + counts.dump());
}

void Report::add(const std::string& name, const json& params, const std::string& unit,
                 double value) {
  Series series;
  series.add(value);
  add(name, params, unit, series);
}

void Report::note(const std::string& text) {
  print("note: " + text);
  notes_.push_back(text);
}

void Report::add_row_note(const std::string& text) {
  print("note: " + text);
  rows_->back()["notes"].push_back(text);
}

double Report::value(const std::string& name, const json& params, const std::string& field) const {
  for (const json& row : *rows_) {
    if (row["name"] == name && row["params"] == params) {
      return row.value(field, 0.0);
    }
  }
  return 0;
}

void Report::print(const std::string& line) const {
  if (lines_ == Lines::kStdout) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }
}

std::string Report::text() const {
  const json whole = {{"bench", bench_},    {"machine", machine()}, {"date", now_utc()},
                      {"commit", commit()}, {"notes", notes_},      {"rows", *rows_}};
  return whole.dump(1) + "\n";
}

Result<> Report::write(const std::filesystem::path& path) const {
  std::error_code ignored;
  if (path.has_parent_path()) {
    std::filesystem::create_directories(path.parent_path(), ignored);
  }
  Result<> written = stage::replace_file(path, text());
  return written ? hand_out() : written;
}

}  // namespace evictd::bench
