// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "evictd/bytes.h"
#include "evictd/time.h"
#include "evictd/usage.h"

namespace evictd::poll {

/// Error bounds of a kernel: exactly the sum of these sources of error.
struct ErrorBounds {
  /// Online CPUs: each may hold back charges and statistics.
  unsigned cpus = 1;
  Bytes page_size{4096};
  /// Charged but unused pages per CPU: 64, for an ancestor on 6.18 up to 7 x 64.
  unsigned stock_pages = 64;
  /// Unflushed statistics updates per CPU when memory.stat is read.
  unsigned unflushed_updates = 64;
  /// Pages per CPU and item that a NUMA node's statistics may lack.
  unsigned node_pages = 125;
  /// Age of unflushed statistics.
  Duration statistics_age = std::chrono::seconds{2};
};

/// ErrorBounds::stock_pages of a pod, which holds its stock once, and of an ancestor of pods, which
/// on 6.18 holds it seven times.
inline constexpr unsigned kPodStockPages = 64;
inline constexpr unsigned kAncestorStockPages = 7 * 64;

enum class Quantity { kUsage, kInactiveFile, kTasks };

/// "usage", "inactive_file", "tasks".
[[nodiscard]] std::string_view to_string(Quantity quantity);

/// Readings of the kernel side right before and right after the files were read. The true value
/// moved between the two, so the files may have any value in between.
struct CrossReadings {
  CgroupUsage before;
  CgroupUsage files;
  CgroupUsage after;
};

/// Outcome of one comparison.
struct Comparison {
  Quantity quantity = Quantity::kUsage;
  /// False: one side lacks the reading; nothing was compared.
  bool compared = false;
  /// Distance of the files' value from [before, after]; 0 inside. Bytes, or tasks.
  std::int64_t by = 0;
  /// Allowed distance.
  std::int64_t bound = 0;

  [[nodiscard]] bool agrees() const { return !compared || by <= bound; }
};

struct CrossCheck {
  Comparison usage;
  Comparison inactive_file;
  Comparison tasks;

  [[nodiscard]] bool agrees() const {
    return usage.agrees() && inactive_file.agrees() && tasks.agrees();
  }
};

/// Compares the kernel side's readings of one cgroup with its files. Pure.
/// Bounds. usage: cpus x stock_pages, because both sides read the same counter. inactive_file: cpus
/// x unflushed_updates pages, plus the change of usage within the age of the statistics. tasks: 0,
/// because the counter is exact.
[[nodiscard]] CrossCheck cross_check(const CrossReadings& readings, const ErrorBounds& bounds);

/// Readings of the node's memory by the kernel side, and of its files in between.
struct NodeReadings {
  NodeUsage before;
  /// Page cache and anonymous pages of /proc/meminfo.
  NodeUsage meminfo;
  /// The same of the root cgroup's files.
  NodeUsage root;
  NodeUsage after;
};

struct NodeComparison {
  /// Unique among them.
  std::string_view name;
  /// What the kernel side is compared with: "/proc/meminfo", "the root cgroup".
  std::string_view file;
  Comparison comparison;
};

/// Compares the kernel side's readings of the node with both. Pure.
/// Bounds. /proc/meminfo: cpus x node_pages of each item of which a value is the sum. The root
/// cgroup: twice cpus x unflushed_updates pages of each item more, as its statistics are gathered
/// from the CPUs in two steps.
[[nodiscard]] std::array<NodeComparison, 4> cross_check(const NodeReadings& readings,
                                                        const ErrorBounds& bounds);

}  // namespace evictd::poll
