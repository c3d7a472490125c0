// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "evictd/bytes.h"
#include "evictd/time.h"
#include "evictd/usage.h"

namespace evictd::poll {

/// What a kernel may be off by; the sum of the stated sources of error, and no more.
struct ErrorBounds {
  /// Online CPUs: each may hold charges and statistics back.
  unsigned cpus = 1;
  Bytes page_size{4096};
  /// Pages that a CPU may hold charged but unused: 64, for an ancestor on 6.18 up to 7 x 64.
  unsigned stock_pages = 64;
  /// Updates of statistics a CPU that a reader of memory.stat may find not yet flushed.
  unsigned unflushed_updates = 64;
  /// Pages of an item of a NUMA node's statistics that a CPU may hold back.
  unsigned node_pages = 125;
  /// Age of statistics that nobody flushed.
  Duration statistics_age = std::chrono::seconds{2};
};

/// kStockPages for a pod, which holds its stock once; an ancestor of pods on 6.18 seven times.
inline constexpr unsigned kPodStockPages = 64;
inline constexpr unsigned kAncestorStockPages = 7 * 64;

enum class Quantity { kUsage, kInactiveFile, kTasks };

/// "usage", "inactive_file", "tasks".
[[nodiscard]] std::string_view to_string(Quantity quantity);

/// What the kernel side said right before and right after the files were read; the truth moved
/// between the two, so the files may say anything from one to the other.
struct CrossReadings {
  CgroupUsage before;
  CgroupUsage files;
  CgroupUsage after;
};

/// Outcome of one comparison.
struct Comparison {
  Quantity quantity = Quantity::kUsage;
  /// False when one of the sides has no such reading; then nothing was compared.
  bool compared = false;
  /// How far the files' value lies outside of [before, after]; 0 inside. Bytes, or tasks.
  std::int64_t by = 0;
  /// How far it may lie outside.
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
/// Bounds. usage: cpus x stock_pages, as both sides read the same counter. inactive_file: cpus x
/// unflushed_updates pages, and what usage grew or shrank by within the age of the statistics.
/// tasks: none, the counter is exact.
[[nodiscard]] CrossCheck cross_check(const CrossReadings& readings, const ErrorBounds& bounds);

/// What the kernel side said of the node's memory, and its files between.
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
