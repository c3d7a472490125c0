// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "daemon/shared/messages.h"
#include "evictd/cgroup_id.h"
#include "export/eviction_record.h"

namespace evictd::daemon {

/// The last decisions: evictions, each updated until its pod's resources are free, and passes that
/// ended differently from the one before. They share one sequence of ids. Thread rule: housekeeping
/// only.
class RecordStore {
 public:
  /// Number of evictions kept, and of passes without an eviction; older ones are dropped.
  static constexpr std::size_t kKept = 128;

  /// Ids continue after this one, and each record with a new id names `node`.
  void start_after(std::uint64_t last_id, std::string node) {
    next_id_ = last_id + 1;
    node_ = std::move(node);
  }

  /// Adds `record`, assigns the next id and returns the stored record. Links an escalation and the
  /// eviction whose grace period it cuts.
  const exporting::EvictionRecord& add(exporting::EvictionRecord record, CgroupId pod);
  /// Adds a record that an earlier evictd made, with its id.
  const exporting::EvictionRecord& add_adopted(exporting::EvictionRecord record, CgroupId pod);
  /// Adds a pass without an eviction, with the next id.
  const exporting::EvictionRecord& add_pass(exporting::EvictionRecord record);
  /// Applies a step to its pod's newest eviction, real or dry as the step is, and to the evictions
  /// whose grace period that one cut. Returns the record, nullptr if there is none.
  const exporting::EvictionRecord* apply_step(const EvictionStep& message);
  /// The records whose grace period `escalation` cut, directly or through another, oldest first.
  [[nodiscard]] std::vector<const exporting::EvictionRecord*> cut_by(
      const exporting::EvictionRecord& escalation) const;
  /// The newest eviction in that cgroup outside a dry run, nullptr if there is none.
  [[nodiscard]] const exporting::EvictionRecord* newest_of(CgroupId pod) const;
  /// The memory of a dead victim stayed charged to its cgroup until evictd stopped waiting.
  void set_still_charged(CgroupId pod, Bytes left);
  /// Updates what the newest victim in that cgroup still holds.
  void set_release(CgroupId pod, const std::vector<exporting::RecordedRelease>& rows);

  /// Evictions, oldest first.
  [[nodiscard]] std::deque<exporting::EvictionRecord> latest() const;
  /// Passes without an eviction, oldest first.
  [[nodiscard]] const std::deque<exporting::EvictionRecord>& passes() const { return passes_; }
  [[nodiscard]] std::uint64_t count() const { return next_id_ - 1; }

 private:
  struct Kept {
    CgroupId pod;
    exporting::EvictionRecord record;
  };
  /// Links an escalation to the evictions that it cuts.
  void link(exporting::EvictionRecord& record, CgroupId pod);
  /// The newest eviction of the pod, then those whose grace period it cut, newest first.
  [[nodiscard]] std::vector<exporting::EvictionRecord*> newest(CgroupId pod, bool dry_run);

  std::deque<Kept> kept_;
  std::deque<exporting::EvictionRecord> passes_;
  std::uint64_t next_id_ = 1;
  std::string node_;
};

}  // namespace evictd::daemon
