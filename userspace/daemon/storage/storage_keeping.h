// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/pods/pod_registry.h"
#include "daemon/records/records_service.h"
#include "daemon/service_context.h"
#include "daemon/shared/messages.h"
#include "daemon/storage/collector_runs.h"
#include "daemon/storage/collector_worker.h"
#include "daemon/storage/release_worker.h"
#include "daemon/storage/storage_worker.h"
#include "daemon/storage/victim_releases.h"

namespace evictd::daemon {

/// Housekeeping's part in disk evictions: starts measurements, collectors and data removal, and
/// reports to the hot thread. Thread rule: housekeeping.
class StorageKeeping {
 public:
  /// Called for each victim that is released, or was awaited for long enough; with the bytes that
  /// stay charged to the cgroup of the latter.
  using OnReleased = std::function<void(CgroupId, std::optional<Bytes>)>;
  struct EvictedPod {
    CgroupId pod;
    std::string uid;
    bool below_pod_root = false;
    /// A dry run removes nothing, whichever evictd evicted the pod.
    bool keeps_data = false;
    bool for_disk = false;
    /// For a filesystem of images and writable layers alone, which only its runtime can free.
    bool for_layers = false;
    /// When it was killed or will be.
    MonoTime killed_at{};
    /// It has no process any more.
    bool gone = false;
  };
  struct Counters {
    std::uint64_t measurements = 0;
    /// Readings of one pod that could not count all of it.
    std::uint64_t incomplete = 0;
    std::uint64_t collector_runs = 0;
    std::uint64_t collector_failures = 0;
    /// Removals of evicted pods' data, and those that left some of it.
    std::uint64_t removals = 0;
    std::uint64_t removal_failures = 0;
    /// Victims that were awaited for long enough and whose cgroup is still charged with memory.
    std::uint64_t still_charged = 0;
  };

  [[nodiscard]] static Result<std::unique_ptr<StorageKeeping>> create(ServiceContext& context,
                                                                      RecordsService& records,
                                                                      ReleaseWorker& releaser,
                                                                      OnReleased on_released);
  /// Another configuration is in force.
  void reload();

  /// Descriptors to watch; call on_answers() when one is readable.
  [[nodiscard]] std::vector<int> descriptors() const;
  void on_answers();
  /// Call once a second: starts a measurement that is due, ends releases that take too long.
  void on_health_check(MonoTime now);

  /// Work that a pass waits for.
  void measure(const engine::MeasurePods& wanted);
  void collect(const engine::RunCollectors& wanted);
  /// A pod was evicted, by this evictd or an earlier one: awaits what it holds, and removes its
  /// files if configured. Removes all of them for `for_disk`, else those on tmpfs.
  void await_victim(const EvictedPod& evicted);
  void apply_step(const EvictionStep& message);
  /// Checks what victims still hold. Cheap without victims.
  void check_releases(MonoTime now);

  /// The newest measurement of a pod; nullptr if there is none.
  [[nodiscard]] const disk::PodStorage* storage_of(std::string_view uid) const;
  /// State of the last collectors at `moment`.
  [[nodiscard]] std::vector<exporting::RecordedCollector> collectors_as_of(MonoTime moment) const {
    return collector_runs_.as_of(moment);
  }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// Duration of the last measurement of all pods; nullopt before the first.
  [[nodiscard]] std::optional<Duration> last_took() const { return last_took_; }

 private:
  using Storages = std::map<std::string, disk::PodStorage, std::less<>>;

  StorageKeeping(ServiceContext& context, RecordsService& records, ReleaseWorker& releaser,
                 OnReleased on_released)
      : context_(context),
        records_(records),
        releaser_(releaser),
        on_released_(std::move(on_released)) {}
  void start_measurement(std::uint64_t round);
  void take(MeasuredPods& measured);
  void take(const RemovedData& removed);
  void take(const CollectorsEnd& ended);
  void send_measurement(const PodRegistry::Listed& listed, disk::PodStorage& storage,
                        std::uint64_t round);
  [[nodiscard]] static eviction::DiskReading disk_reading(const cluster::PodEntry& entry,
                                                          const disk::PodStorage& storage);
  void keep_whole_measurements(Storages&& newer);
  void replace_measurements(const MeasuredPods& measured, Storages newer);
  [[nodiscard]] std::vector<sys::Mount> mounts() const;
  void mark_processes_gone(VictimReleases::Victim& victim, MonoTime at);
  /// nullptr if none is known.
  [[nodiscard]] const HotPod* hot_pod_of(CgroupId pod) const;
  /// Whether it has a process.
  [[nodiscard]] bool is_in_use(CgroupId pod) const;
  /// Bytes charged to the cgroup of a victim without a process, minus inactive page cache.
  [[nodiscard]] std::optional<Bytes> charged_to(const VictimReleases::Victim& victim,
                                                MonoTime now) const;
  /// Makes the kernel reclaim what it can of the memory charged to a pod without a process.
  void reclaim(CgroupId pod);
  void warn_of_failed_reclaims();

  ServiceContext& context_;
  RecordsService& records_;
  ReleaseWorker& releaser_;
  OnReleased on_released_;
  std::unique_ptr<StorageWorker> worker_;
  std::unique_ptr<CollectorWorker> collectors_;
  CollectorRuns collector_runs_;
  VictimReleases releases_;
  Storages measured_;
  /// Round of the last measurement that a pass waits for; 0 if none does.
  std::uint64_t awaited_round_ = 0;
  std::optional<MonoTime> next_measurement_;
  std::optional<Duration> last_took_;
  Counters counters_;
  bool reclaim_failure_logged_ = false;
};

}  // namespace evictd::daemon
