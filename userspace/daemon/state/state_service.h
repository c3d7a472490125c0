// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "daemon/records/records_service.h"
#include "daemon/service_context.h"
#include "daemon/state/adoption.h"
#include "daemon/state/state_keeper.h"
#include "daemon/storage/storage_keeping.h"
#include "engine/operator_wishes.h"

namespace evictd::daemon {

/// What survives a restart: resumes what the last run left, and keeps the state for the next one.
/// Thread rule: housekeeping only.
class StateService {
 public:
  /// `on_refused` is called for a pod that the last run was evicting and that is protected now.
  StateService(ServiceContext& context, RecordsService& records, StorageKeeping& storage,
               std::function<void(const EvictionRefused&)> on_refused)
      : context_(context),
        records_(records),
        storage_(storage),
        on_refused_(std::move(on_refused)),
        keeper_(std::move(context.state)) {}
  StateService(const StateService&) = delete;
  StateService& operator=(const StateService&) = delete;
  ~StateService() = default;

  /// Resumes what the last run left. The hot thread must have been sent all pods.
  void resume_last_run();
  /// Handles the eviction in progress of a pod that could not be read before. Runs before the hot
  /// thread gets the pod and may evict it, so that what it reads is not the hot thread's doing.
  /// nullopt if there is nothing to resume, and for nullptr.
  [[nodiscard]] std::optional<Adoption> adopt_deferred(const HotPod* pod);
  /// Ends the deferrals of pods that vanished, of which only the state file knows.
  void end_deferrals();
  /// The hot thread gave the pod back. If its cgroup is gone, nothing that it left is awaited.
  void follow_retired(const HotPod& pod);
  /// The hot thread has the pod and does not resume the earlier evictd's eviction; the next evictd
  /// must not either.
  void withdraw_intent(const HotPod& pod);

  /// Puts other requests of operators in force. Returns their generation, which is
  /// HotCounters::wishes_applied once the hot thread has them.
  std::uint64_t change_wishes(const engine::OperatorWishes& wishes);
  /// Another configuration is in force, and was sent: its `dryRun`, if changed, is the latest
  /// request.
  void reload(const config::Settings& before);
  [[nodiscard]] const engine::OperatorWishes& wishes() const { return wishes_; }

  /// Writes what changed; logs once that it cannot be written.
  void keep(StateKeeper::Lag lag = StateKeeper::Lag::kSome);
  [[nodiscard]] StateKeeper& keeper() { return keeper_; }

 private:
  [[nodiscard]] bool in_dry_run() const {
    return wishes_.dry_run.value_or(context_.settings().dry_run);
  }
  [[nodiscard]] std::optional<Adoption> adopt(const HotPod& pod, FoundPod found, MonoTime now);
  void resume_eviction(SavedEviction known, const Adoption& adoption, MonoTime now);
  [[nodiscard]] bool adopt_vanished(const SavedEviction& one, MonoTime now);

  ServiceContext& context_;
  RecordsService& records_;
  StorageKeeping& storage_;
  std::function<void(const EvictionRefused&)> on_refused_;
  StateKeeper keeper_;
  engine::OperatorWishes wishes_;
  std::uint64_t wishes_generation_ = 0;
  bool failing_ = false;
};

}  // namespace evictd::daemon
