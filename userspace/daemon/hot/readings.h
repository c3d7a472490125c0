// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/loan.h"
#include "config/settings.h"
#include "daemon/hot/hot_storage.h"
#include "daemon/hot/pod_slots.h"
#include "daemon/shared/guard_terms.h"
#include "disk/newest_readings.h"
#include "engine/disk_work.h"
#include "evictd/usage.h"
#include "eviction/observation.h"
#include "eviction/pass.h"
#include "eviction/threshold_table.h"
#include "probe/usage_table.h"
#include "sys/cgroup_files.h"
#include "sys/node_files.h"

namespace evictd::daemon {

/// Source of a pass's numbers.
enum class ReadingSource : std::uint8_t {
  kTable,  ///< The kernel side's rows, refreshed for the pass.
  kFiles,  ///< Kept descriptors of cgroup files: without BPF, or while its timer stalls.
};

/// Everything that one pass reads, in memory that is reused from pass to pass. Thread rule: hot
/// thread. read() neither allocates nor opens a file.
class Readings {
 public:
  struct Options {
    /// nullptr without BPF. Borrowed.
    probe::UsageTable* table = nullptr;
    sys::NodeFiles node_files;
    /// Files of the pod root; empty if there is none.
    sys::CgroupFiles pod_root_files;
    /// nullptr if no filesystem is watched. Borrowed.
    const disk::NewestReadings* filesystems = nullptr;
    /// Inputs of the reserve; nullptr if nothing computes it. Borrowed.
    const GuardTermsBoard* guard_terms = nullptr;
  };

  explicit Readings(Options options);

  struct Request {
    ReadingSource source = ReadingSource::kTable;
    /// Also reads values that rarely change (capacities and limits), which costs some 30 us of
    /// files. A pass that an event requested uses the known ones.
    bool limits = true;
    /// Whether a threshold depends on the node's tasks.
    bool exact_tasks = true;
    config::PidAvailableSource pid_source = config::PidAvailableSource::kNode;
    /// Determines which disk signals exist.
    eviction::Compat compat = eviction::Compat::k1_32;
    eviction::MemoryRules memory;
    engine::DiskMeasurement disk;
    /// The thresholds of the pass; nullptr for none. Borrowed for the call.
    const eviction::ThresholdTable* thresholds = nullptr;
    /// A memory threshold is milliseconds away: prepares what the next pass needs.
    bool rehearsal = false;
  };

  /// Reads the node, the pod root and every pod of `slots`, and computes observations. If the table
  /// has no number, reads the files. `storage` has the newest disk usage by slot; empty if nothing
  /// measures it. Makes the kernel flush the statistics of all pods only if that can change the
  /// decision: see eviction::lazy_statistics_matter(). The flush takes longer with more cgroups and
  /// CPUs.
  void read(const Request& request, PodSlots& slots,
            std::span<const base::Loan<HotStorage>> storage, MonoTime now);

  /// Replaces the files of the pod root; returns the former ones in `files`.
  void swap_pod_root_files(sys::CgroupFiles& files) { std::swap(options_.pod_root_files, files); }

  /// Call it before a decision to kill, and only then. If a threshold of the node's memory is met,
  /// finds what the kernel can still give: from the kernel side if that is more than the signal
  /// says. It also reads the first candidates outside the pod root again, from their files. Reading
  /// flushes their inactive file cache, because the kernel's statistic may be 2 s old. read()
  /// flushed that of the other candidates, and the pod root's own limit evicts none outside it. If
  /// a pid threshold is met, reads the limits again. Cost: about 8 us a cgroup.
  void look_again(const eviction::ThresholdTable& thresholds, const PodSlots& slots, MonoTime now);

  /// Reads one pod, whether it takes part or not, from the source that the last read() used. Cost:
  /// nothing with a row, 8 us with files.
  [[nodiscard]] CgroupUsage read_one(const HotPod& pod, MonoTime now);

  [[nodiscard]] const eviction::Observations& observations() const { return observations_; }
  /// The pods that take part: those with running processes, in the order of PodSlots. Empty and
  /// terminated pods are not active to the kubelet. A pod that was empty at housekeeping's last
  /// read counts as running once its reading exceeds what the dead had left in it.
  [[nodiscard]] std::span<eviction::PassPod> pods() { return pods_; }
  [[nodiscard]] std::span<const eviction::PassPod> pods() const { return pods_; }
  /// Their slots and readings, parallel to pods().
  [[nodiscard]] std::span<const std::uint32_t> slots() const { return slots_; }
  [[nodiscard]] std::span<const CgroupUsage> usages() const { return usages_; }
  [[nodiscard]] const NodeUsage& node() const { return node_; }
  [[nodiscard]] const CgroupUsage& pod_root() const { return pod_root_; }
  /// Index into pods() of the pod that memory pressure in `scope` would evict; nullopt if all are
  /// protected.
  [[nodiscard]] std::optional<std::size_t> first_candidate(eviction::Scope scope) const {
    return first_for_memory(scope)[0];
  }
  [[nodiscard]] std::int64_t pod_root_max_tasks() const { return pod_root_max_tasks_; }
  /// Whether the kernel side computes the reserve, and so reports when it is about to run out.
  [[nodiscard]] bool reserve_is_pushed() const { return node_.reserve.value >= 0; }
  /// Possible error of allocatableMemory.available, either way, because the statistics were not
  /// flushed and may be 2 s old; 0 if they were flushed.
  [[nodiscard]] Bytes lazy_error() const { return lazy_error_; }

 private:
  /// Candidates that look_again() reads: the first and the second in the ranking.
  static constexpr std::size_t kFreshCandidates = 2;
  /// An inactive file cache of this age is accurate enough; the kernel's own may be 2 s old. It
  /// saves a pass that follows its rehearsal some 15 us.
  static constexpr Duration kFlushedLately = std::chrono::milliseconds(5);

  void read_node(const Request& request, MonoTime now);
  void read_node_row();
  /// Brings NodeUsage::mem_available up to date.
  void read_kernel_available();
  /// Reads the exact values of the pod root and the node, before the rows are read.
  void read_exact_values(const Request& request);
  /// Returns false if the observations so far show no need, or a flush was done a moment ago.
  bool bring_up_to_date(const Request& request, MonoTime now);
  /// Reads all rows and the pod root's, or else the pod root's files.
  void read_rows(MonoTime now);
  void read_pod(const HotPod& pod, MonoTime now, CgroupUsage& usage);
  [[nodiscard]] bool takes_part(HotPod& pod, MonoTime now);
  /// Whether a pod that was found empty has a process since, of which housekeeping has not reported
  /// yet; the process may be idle. Cost: nothing with a row, 1 us with files.
  [[nodiscard]] bool has_filled(HotPod& pod, MonoTime now);
  void observe();
  /// How fast the remaining reserve falls.
  void observe_rates(MonoTime now);
  void observe_reserve(MonoTime now);
  void observe_disks(eviction::Compat compat, MonoTime now);
  /// Indices into pods() of the pods that memory pressure in `scope` would evict first, as far as
  /// known.
  [[nodiscard]] std::array<std::optional<std::size_t>, kFreshCandidates> first_for_memory(
      eviction::Scope scope) const;

  Options options_;
  sys::ReadBuffer buffer_{};
  /// When evictd last made the kernel flush the statistics of all pods.
  MonoTime flushed_at_{};
  Bytes lazy_error_{0};
  /// Source of the last read(): the files if the table could not be refreshed.
  ReadingSource source_ = ReadingSource::kFiles;
  NodeUsage node_;
  /// NodeUsage::at_hand minus NodeUsage::mem_available at the last reading of the limits:
  /// watermarks and other reserves, which hardly change. Unset without the kernel side.
  std::optional<Bytes> kept_by_kernel_;
  CgroupUsage pod_root_;
  std::int64_t pod_root_max_tasks_ = -1;
  config::PidAvailableSource pid_source_ = config::PidAvailableSource::kNode;
  eviction::MemoryRules memory_;
  eviction::Observations observations_;
  /// The last result of observe_reserve() and observe_rates().
  std::optional<eviction::KernelReserve> reserve_;
  std::optional<std::int64_t> pod_root_rate_;
  /// Whether the kernel has swap left.
  bool swap_counts_ = false;
  /// Used if the kernel side has no rate.
  FallRate reserve_fall_;
  FallRate pod_root_fall_;
  std::optional<sys::ReserveTerms> reserve_terms_;
  std::vector<eviction::PassPod> pods_;
  std::vector<std::uint32_t> slots_;
  std::vector<CgroupUsage> usages_;
  /// Whether one of pods() lies outside the pod root.
  bool some_outside_ = false;
  struct Before {
    CgroupId pod;
    Bytes usage;
    /// The epoch if nothing was read.
    MonoTime read_at{};
  };
  /// By slot, for the growth between two readings of one pod's files.
  std::vector<Before> before_;
};

/// The part of one reading that ranking needs.
[[nodiscard]] eviction::PodReading reading_of(const CgroupUsage& usage);

}  // namespace evictd::daemon
