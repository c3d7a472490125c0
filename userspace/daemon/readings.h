// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "engine/disk_work.h"

#include "daemon/guard_terms.h"
#include "daemon/hot_storage.h"
#include "daemon/pod_slots.h"
#include "disk/newest_readings.h"
#include "evictd/usage.h"
#include "eviction/observation.h"
#include "eviction/pass.h"
#include "eviction/threshold_table.h"
#include "probe/usage_table.h"
#include "sys/cgroup_files.h"
#include "sys/node_files.h"

namespace evictd::daemon {

/// Where a pass takes its numbers from.
enum class ReadingSource : std::uint8_t {
  kTable,  ///< The kernel side's rows, refreshed for the pass.
  kFiles,  ///< Kept descriptors of cgroup files: without BPF, or while its timer stands still.
};

/// Everything that one pass reads, in memory that is kept from pass to pass.
/// Thread rule: hot thread. read() neither allocates nor opens a file.
class Readings {
 public:
  struct Options {
    /// nullptr without BPF. Borrowed.
    probe::UsageTable* table = nullptr;
    sys::NodeFiles node_files;
    /// Of the cgroup that holds all pods; empty where there is none.
    sys::CgroupFiles pod_root_files;
    /// nullptr where no filesystem is looked at. Borrowed.
    const disk::NewestReadings* filesystems = nullptr;
    /// By what the reserve is worked out; nullptr where nobody does. Borrowed.
    const GuardTermsBoard* guard_terms = nullptr;
  };

  explicit Readings(Options options);

  struct Request {
    ReadingSource source = ReadingSource::kTable;
    /// Reads also what hardly ever changes (capacities and limits), which costs some 30 us of
    /// files; a pass that an event asked for goes on with what is known of those.
    bool limits = true;
    /// Whether a threshold depends on the node's tasks.
    bool exact_tasks = true;
    config::PidAvailableSource pid_source = config::PidAvailableSource::kNode;
    /// Which disk signals there are differs.
    eviction::Compat compat = eviction::Compat::k1_32;
    eviction::MemoryRules memory;
    engine::DiskMeasurement disk;
    /// Those that the pass is going to judge by; nullptr for none. Borrowed for the call.
    const eviction::ThresholdTable* thresholds = nullptr;
    /// One of memory is milliseconds away: what the pass after this one needs is got ready.
    bool rehearsal = false;
  };

  /// Reads the node, the pod root and every pod of `slots`, and makes observations of them.
  /// The table falls back to the files where it has no number. `storage` has the newest disk
  /// usage by slot; empty where nobody measures it.
  /// The kernel is made to bring the statistics of all pods up to date, which takes it longer the
  /// more cgroups and CPUs there are, only where they can change what is decided: see
  /// eviction::lazy_statistics_matter().
  void read(const Request& request, PodSlots& slots,
            std::span<const std::unique_ptr<HotStorage>> storage, MonoTime now);

  /// Other files of the cgroup that holds all pods; those before are given back in `files`.
  void swap_pod_root_files(sys::CgroupFiles& files) { std::swap(options_.pod_root_files, files); }

  /// Before a decision to kill, and only then. Where a threshold of the node's memory is met: reads
  /// what the kernel could still give and, of the first candidates, those outside the pod root anew
  /// from their files, whose inactive file cache is flushed by the reading, because the kernel's
  /// statistic may be 2 s old; read() flushed that of the others, and the pod root's own limit
  /// takes none of these. Where a pid threshold is met: reads the limits anew. Costs about 8 us a
  /// cgroup.
  void look_again(const eviction::ThresholdTable& thresholds, const PodSlots& slots, MonoTime now);

  /// One pod, whether it takes part or not, from where the last read() took its numbers.
  /// Cost: nothing with a row, 8 us with files.
  [[nodiscard]] CgroupUsage read_one(const HotPod& pod, MonoTime now);

  [[nodiscard]] const eviction::Observations& observations() const { return observations_; }
  /// The pods that take part: those that run, in the order of PodSlots. Empty and terminated ones
  /// are not what the kubelet calls active; one that was empty when housekeeping last looked runs
  /// as soon as its reading outgrows what the dead had left in it.
  [[nodiscard]] std::span<eviction::PassPod> pods() { return pods_; }
  [[nodiscard]] std::span<const eviction::PassPod> pods() const { return pods_; }
  /// Their slots and readings, parallel to pods().
  [[nodiscard]] std::span<const std::uint32_t> slots() const { return slots_; }
  [[nodiscard]] std::span<const CgroupUsage> usages() const { return usages_; }
  [[nodiscard]] const NodeUsage& node() const { return node_; }
  [[nodiscard]] const CgroupUsage& pod_root() const { return pod_root_; }
  /// Index into pods() of the one that memory pressure in `scope` would take; nothing if all are
  /// protected.
  [[nodiscard]] std::optional<std::size_t> first_candidate(eviction::Scope scope) const {
    return first_for_memory(scope)[0];
  }
  [[nodiscard]] std::int64_t pod_root_max_tasks() const { return pod_root_max_tasks_; }
  /// Whether the kernel side works out the reserve, and so tells when it is about to end.
  [[nodiscard]] bool reserve_is_pushed() const { return node_.reserve.value >= 0; }
  /// By how much allocatableMemory.available may be wrong either way because the statistics were
  /// left as they were, up to 2 s old; 0 where they were brought up to date.
  [[nodiscard]] Bytes lazy_error() const { return lazy_error_; }

 private:
  /// Candidates that look_again() reads: the one that would go and the one that would be next.
  static constexpr std::size_t kFreshCandidates = 2;
  /// An inactive file cache of this age is near enough; the kernel's own may be 2 s old. It spares
  /// a pass that was rehearsed a moment ago some 15 us.
  static constexpr Duration kFlushedLately = std::chrono::milliseconds(5);

  void read_node(const Request& request, MonoTime now);
  void take_node_row();
  /// What is exact of the pod root and the node before the rows are read.
  void look_ahead(const Request& request, MonoTime now);
  /// False where what was observed so far shows no need, or it was done a moment ago.
  bool bring_up_to_date(const Request& request, MonoTime now);
  /// All rows as they are now and that of the pod root, or else the pod root's files.
  void take_rows(MonoTime now);
  void read_pod(const HotPod& pod, MonoTime now, CgroupUsage& usage);
  [[nodiscard]] bool takes_part(HotPod& pod, MonoTime now);
  /// Whether a pod that was found empty has got a process since, of which housekeeping has not told
  /// yet; it may stand still. Cost: nothing with a row, 1 us with files.
  [[nodiscard]] bool has_filled(HotPod& pod, MonoTime now);
  void observe();
  /// How fast what is left falls.
  void observe_rates(MonoTime now);
  void observe_reserve(MonoTime now);
  void observe_disks(eviction::Compat compat, MonoTime now);
  /// Indices into pods() of the pods that memory pressure in `scope` would take first, as far as is
  /// known.
  [[nodiscard]] std::array<std::optional<std::size_t>, kFreshCandidates> first_for_memory(
      eviction::Scope scope) const;

  Options options_;
  sys::ReadBuffer buffer_{};
  /// When the kernel last brought the statistics of all pods up to date because of us.
  MonoTime flushed_at_{};
  Bytes lazy_error_{0};
  /// Of the last read(): the files where the table could not be refreshed.
  ReadingSource source_ = ReadingSource::kFiles;
  NodeUsage node_;
  CgroupUsage pod_root_;
  std::int64_t pod_root_max_tasks_ = -1;
  config::PidAvailableSource pid_source_ = config::PidAvailableSource::kNode;
  eviction::MemoryRules memory_;
  eviction::Observations observations_;
  /// As observe_reserve() and observe_rates() last had them.
  std::optional<eviction::KernelReserve> reserve_;
  std::optional<std::int64_t> pod_root_rate_;
  /// Whether the kernel has swap to give.
  bool swap_counts_ = false;
  /// Where the kernel side has no rate.
  FallRate reserve_fall_;
  FallRate pod_root_fall_;
  std::optional<sys::ReserveTerms> reserve_terms_;
  std::vector<eviction::PassPod> pods_;
  std::vector<std::uint32_t> slots_;
  std::vector<CgroupUsage> usages_;
  struct Before {
    CgroupId pod;
    Bytes usage;
    /// The epoch where nothing was read.
    MonoTime read_at{};
  };
  /// By slot, for the growth between two readings of one pod's files.
  std::vector<Before> before_;
};

/// What ranking needs of one reading.
[[nodiscard]] eviction::PodReading reading_of(const CgroupUsage& usage);

}  // namespace evictd::daemon
