// SPDX-License-Identifier: Apache-2.0
#include "poll/cross_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace evictd::poll {

namespace {

struct Values {
  std::int64_t before;
  std::int64_t files;
  std::int64_t after;
};

Comparison compare(Quantity quantity, const Values& values, std::int64_t bound) {
  Comparison comparison{quantity, false, 0, bound};
  if (values.before < 0 || values.files < 0 || values.after < 0) {
    return comparison;
  }
  const auto [low, high] = std::minmax(values.before, values.after);
  comparison.compared = true;
  comparison.by = std::max({low - values.files, values.files - high, std::int64_t{0}});
  return comparison;
}

/// What usage changed by within `period` at the fastest rate that either side saw.
std::int64_t change_within(Duration period, const CrossReadings& readings) {
  const auto speed = [](const CgroupUsage& usage) {
    return std::abs(static_cast<double>(usage.rate_bytes_per_second));
  };
  const double fastest =
      std::max({speed(readings.before), speed(readings.files), speed(readings.after)});
  const double change = fastest * std::chrono::duration<double>(period).count();
  // More than any machine has, but small enough that sums fit an int64.
  constexpr double kMost = 4e18;
  return static_cast<std::int64_t>(std::min(change, kMost));
}

}  // namespace

std::string_view to_string(Quantity quantity) {
  switch (quantity) {
    case Quantity::kUsage:
      return "usage";
    case Quantity::kInactiveFile:
      return "inactive_file";
    case Quantity::kTasks:
      return "tasks";
  }
  return "usage";
}

CrossCheck cross_check(const CrossReadings& readings, const ErrorBounds& bounds) {
  const auto& [before, files, after] = readings;
  const std::int64_t page = bounds.page_size.value;
  const std::int64_t stock = std::int64_t{bounds.cpus} * bounds.stock_pages * page;
  const std::int64_t unflushed = std::int64_t{bounds.cpus} * bounds.unflushed_updates * page;
  CrossCheck check;
  check.usage =
      compare(Quantity::kUsage, {before.usage.value, files.usage.value, after.usage.value}, stock);
  check.inactive_file =
      compare(Quantity::kInactiveFile,
              {before.inactive_file.value, files.inactive_file.value, after.inactive_file.value},
              unflushed + change_within(bounds.statistics_age, readings));
  check.tasks = compare(Quantity::kTasks, {before.tasks, files.tasks, after.tasks}, 0);
  return check;
}

std::array<NodeComparison, 4> cross_check(const NodeReadings& readings, const ErrorBounds& bounds) {
  constexpr std::int64_t kItemsOfUsage = 2;  // Page cache, anonymous pages.
  const NodeUsage& before = readings.before;
  const NodeUsage& meminfo = readings.meminfo;
  const NodeUsage& root = readings.root;
  const NodeUsage& after = readings.after;
  const std::int64_t page_a_cpu = std::int64_t{bounds.cpus} * bounds.page_size.value;
  const std::int64_t held = page_a_cpu * bounds.node_pages;
  const std::int64_t unflushed = held + 2 * page_a_cpu * bounds.unflushed_updates;
  const auto usage = [&](const NodeUsage& files, std::int64_t bound) {
    return compare(Quantity::kUsage, {before.usage.value, files.usage.value, after.usage.value},
                   kItemsOfUsage * bound);
  };
  const auto inactive_file = [&](const NodeUsage& files, std::int64_t bound) {
    return compare(
        Quantity::kInactiveFile,
        {before.inactive_file.value, files.inactive_file.value, after.inactive_file.value}, bound);
  };
  constexpr std::string_view kMeminfo = "/proc/meminfo";
  constexpr std::string_view kRoot = "the root cgroup";
  return {NodeComparison{"usage in meminfo", kMeminfo, usage(meminfo, held)},
          NodeComparison{"inactive_file in meminfo", kMeminfo, inactive_file(meminfo, held)},
          NodeComparison{"usage of the root", kRoot, usage(root, unflushed)},
          NodeComparison{"inactive_file of the root", kRoot, inactive_file(root, unflushed)}};
}

}  // namespace evictd::poll
