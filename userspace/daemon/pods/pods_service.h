// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "daemon/health/watched_thresholds.h"
#include "daemon/pods/container_memory.h"
#include "daemon/pods/pod_registry.h"
#include "daemon/pods/row_keeper.h"
#include "daemon/records/problem_log.h"
#include "daemon/records/records_service.h"
#include "daemon/service_context.h"
#include "daemon/state/state_service.h"
#include "daemon/storage/release_worker.h"

namespace evictd::daemon {

/// Keeps the hot thread's pods those of the node: discovery, rows of the kernel side, and pods that
/// the hot thread has returned. Thread rule: housekeeping only.
class PodsService {
 public:
  /// The services that it uses.
  struct Services {
    RecordsService& records;
    StateService& state;
    WatchedThresholds& thresholds;
    const ReleaseWorker& releaser;
  };

  PodsService(ServiceContext& context, const Services& services);
  PodsService(const PodsService&) = delete;
  PodsService& operator=(const PodsService&) = delete;
  ~PodsService() = default;

  /// Scans the tree, and gives the hot thread what changed.
  void rescan();
  /// The same for changes that descriptors of the registry report.
  void follow_reports();
  /// The same for changes that the kernel side reported.
  void apply_queued() { send_updates(context_.registry->apply()); }
  /// Another configuration is in force.
  void reload();
  /// Call it after each turn of the loop.
  void finish_turn();
  /// Reads the memory use of containers that are due.
  void check_containers() {
    container_memory_.refresh(context_.registry->table(), context_.registry->tree().layout());
  }
  /// Call it once a second, the other at the polling interval.
  void check();
  void check_at_interval(MonoTime now);
  /// Scans for a pass that waits for the end of the scan.
  void scan(const engine::ScanPods& wanted);
  void log_problems() { problem_log_.log_changes(context_.registry->problems()); }

  void handle(RetirePod& message);
  void handle(const TargetUsed& message);
  void handle(const LossNotice& message);

  /// nullptr for an empty slot.
  [[nodiscard]] const HotPod* pod_in(std::uint32_t slot) const;
  [[nodiscard]] const ContainerMemory& container_memory() const { return container_memory_; }
  [[nodiscard]] const RowKeeper& row_keeper() const { return row_keeper_; }

 private:
  void send_updates(std::vector<PodUpdate> updates);
  void destroy_released_pods();
  void follow_pod_root();
  void log_shortage();
  /// Each once, as long as no source of pods describes it.
  void report_unknown_pods();

  ServiceContext& context_;
  Services services_;
  RowKeeper row_keeper_;
  ContainerMemory container_memory_;
  ProblemLog problem_log_;
  std::vector<std::unique_ptr<HotPod>> released_pods_;  ///< Released, maybe still in use.
  std::set<std::string> reported_unknown_;              ///< Uids that the journal has.
  bool short_of_descriptors_ = false;
  int checks_to_rescan_ = 1;
};

}  // namespace evictd::daemon
