// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "daemon/messages.h"
#include "evictd/cgroup_id.h"
#include "export/eviction_record.h"

namespace evictd::daemon {

/// The last decisions: evictions, each kept up to date until its pod's resources are free, and
/// passes that ended otherwise than the one before. They share one sequence of ids.
/// Thread rule: housekeeping only.
class RecordStore {
 public:
  /// Keeps this many evictions, and as many passes that evicted nobody; older ones are forgotten.
  static constexpr std::size_t kKept = 128;

  /// Ids go on after this one, and each record that gets one names `node`.
  void start_after(std::uint64_t last_id, std::string node) {
    next_id_ = last_id + 1;
    node_ = std::move(node);
  }

  /// Adds `record`, gives it the next id and returns it as it is kept. An escalation and the
  /// eviction whose grace it cuts are told of each other.
  const exporting::EvictionRecord& add(exporting::EvictionRecord record, CgroupId pod);
  /// Adds one that an earlier evictd made, with the id that it has.
  const exporting::EvictionRecord& go_on_with(exporting::EvictionRecord record, CgroupId pod);
  /// Adds a pass that evicted nobody, and gives it the next id.
  const exporting::EvictionRecord& add_pass(exporting::EvictionRecord record);
  /// Notes a step of the newest eviction of its pod, real or dry as the step is, and of those
  /// whose grace it cut. Returns its record, nullptr if there is none.
  const exporting::EvictionRecord* note(const EvictionStep& message);
  /// The records whose grace `escalation` cut, directly or by way of another, oldest first.
  [[nodiscard]] std::vector<const exporting::EvictionRecord*> cut_by(
      const exporting::EvictionRecord& escalation) const;
  /// The newest eviction in that cgroup that was no dry run, nullptr if there is none.
  [[nodiscard]] const exporting::EvictionRecord* newest_of(CgroupId pod) const;
  /// The memory of a victim that is gone stayed charged to its cgroup for as long as it was
  /// awaited.
  void note_still_charged(CgroupId pod, Bytes left);
  /// What the newest victim in that cgroup still holds.
  void note_release(CgroupId pod, const std::vector<exporting::RecordedRelease>& rows);

  /// Evictions, oldest first.
  [[nodiscard]] std::deque<exporting::EvictionRecord> latest() const;
  /// Passes that evicted nobody, oldest first.
  [[nodiscard]] const std::deque<exporting::EvictionRecord>& passes() const { return passes_; }
  [[nodiscard]] std::uint64_t count() const { return next_id_ - 1; }

 private:
  struct Kept {
    CgroupId pod;
    exporting::EvictionRecord record;
  };
  /// An escalation to what it cuts.
  void link(exporting::EvictionRecord& record, CgroupId pod);
  /// The newest eviction of the pod, then those whose grace it cut, newest first.
  [[nodiscard]] std::vector<exporting::EvictionRecord*> newest(CgroupId pod, bool dry_run);

  std::deque<Kept> kept_;
  std::deque<exporting::EvictionRecord> passes_;
  std::uint64_t next_id_ = 1;
  std::string node_;
};

}  // namespace evictd::daemon
