// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "floor.h"
#include "kernel_tables.h"

namespace evictd::churn {

/// What evictd's numbers were when an audit found nothing wrong.
struct AuditNumbers {
  Bytes resident{0};
  std::size_t descriptors = 0;
  /// By hash map.
  std::map<std::string, std::size_t> entries;
  std::uint64_t emitted = 0;
  std::uint64_t dropped = 0;
};

/// Judges evictd from outside while no pod comes or goes: its own answers, its record file, its BPF
/// maps, /proc and the cgroup files must agree, and it must not hold more than at the first audit.
/// One thread uses it.
class Audit {
 public:
  /// `patience`: how long something may take to come to rest. Milliseconds on an idle machine, so
  /// that only a failure waits this long.
  Audit(const Floor& floor, Duration patience) : floor_(floor), patience_(patience) {}

  /// Looks until nothing is wrong, for what takes a moment to come to rest, and answers what still
  /// is after the patience: one text each, empty for nothing. The first call sets what later ones
  /// compare with.
  [[nodiscard]] Result<std::vector<std::string>> run(Floor& floor);

  [[nodiscard]] const AuditNumbers& numbers() const { return last_; }
  /// Whether memory is judged: not of a build with a sanitizer, which keeps what is freed.
  [[nodiscard]] static bool judges_memory();

 private:
  using Complaints = std::vector<std::string>;

  Result<Complaints> look();
  void compare_status(const nlohmann::json& status, Complaints& found) const;
  Result<> compare_kernel(const nlohmann::json& status, Complaints& found);
  void compare_slots(const std::map<std::uint64_t, WatchedSlot>& slots, Complaints& found) const;
  void compare_cgroups(Complaints& found) const;
  Result<> compare_process(Complaints& found);
  void compare_entries(Complaints& found) const;

  const Floor& floor_;
  Duration patience_;
  std::optional<KernelTables> tables_;
  AuditNumbers last_;
  /// Of the first audit.
  std::optional<AuditNumbers> first_;
  /// Of the first audit at which all that evictd keeps in memory of the past was full.
  std::optional<Bytes> full_;
};

}  // namespace evictd::churn
