// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/line_server.h"
#include "base/log.h"
#include "base/timer.h"
#include "config/config.h"
#include "daemon/health/priority_watch.h"
#include "daemon/health/service_notifier.h"
#include "daemon/health/timer_watch.h"
#include "daemon/health/watchdog.h"
#include "daemon/hot/hot_loop.h"
#include "daemon/housekeeping_options.h"
#include "daemon/pods/container_memory.h"
#include "daemon/pods/pod_registry.h"
#include "daemon/pods/row_keeper.h"
#include "daemon/records/journal.h"
#include "daemon/records/pass_recorder.h"
#include "daemon/records/pass_rules.h"
#include "daemon/records/pass_watch.h"
#include "daemon/records/problem_log.h"
#include "daemon/records/record_store.h"
#include "daemon/shared/messages.h"
#include "daemon/shared/watch_points.h"
#include "daemon/state/state_keeper.h"
#include "daemon/storage/disk_watch.h"
#include "daemon/storage/release_worker.h"
#include "daemon/storage/storage_keeping.h"
#include "eviction/threshold_table.h"

namespace evictd::daemon {

/// The main thread: everything that may block, allocate or take long: discovery, records, log,
/// control socket, reload, cross-check, memory release. If it stalls, evictions continue.
class Housekeeping final : private base::LineHandler {
 public:
  using Options = HousekeepingOptions;

  [[nodiscard]] static Result<std::unique_ptr<Housekeeping>> create(Options options);
  Housekeeping(const Housekeeping&) = delete;
  Housekeeping& operator=(const Housekeeping&) = delete;
  ~Housekeeping() override;

  /// Gives all pods and watch points to the hot thread and the kernel side; call before it starts.
  void hand_over_everything();
  /// Runs until SIGTERM or SIGINT. Reports READY once everything is set up.
  [[nodiscard]] Result<> run();

 private:
  Housekeeping(Options options, base::EventLoop loop, base::Timer health_timer);
  [[nodiscard]] Result<> prepare();
  [[nodiscard]] Result<> watch(int fd, std::function<void()> callback);
  [[nodiscard]] Result<> watch_descriptors();
  [[nodiscard]] Result<> watch_watchdog();
  [[nodiscard]] Result<> prepare_storage();

  std::string on_line(std::string_view request, const base::PeerCredentials& peer) override;
  std::optional<std::string> on_subscription(std::string_view request) override;
  void on_turned_away() override;
  [[nodiscard]] nlohmann::ordered_json status() const;
  [[nodiscard]] Result<nlohmann::ordered_json> change_wishes(std::string_view op,
                                                             const nlohmann::json& request);
  [[nodiscard]] Result<> pause(const nlohmann::json& request, MonoTime now);
  [[nodiscard]] Result<> resume(const nlohmann::json& request);
  [[nodiscard]] Result<> set_dry_run(const nlohmann::json& request);
  [[nodiscard]] Result<> put_wishes_in_force();

  void on_signal();
  void on_messages();
  void on_health_check();
  void reload();
  [[nodiscard]] Result<> try_reload();
  void rescan();
  void send_updates(std::vector<PodUpdate> updates);
  void send(ToHot&& message);
  void flush_backlog();

  void handle(std::monostate& /*nothing*/) {}
  void handle(RetirePod& message);
  void handle(PassDone& message);
  void handle(const EvictionStep& message);
  void handle(const EvictionRefused& message);
  void handle(const TargetUsed& message);
  void handle(const CgroupNotice& message);
  void handle(const OomNotice& message);
  void handle(const StallNotice& message);
  void handle(const LossNotice& message);
  void handle(const MeasurePods& message) { storage_->handle(message); }
  void handle(const RunCollectors& message) { storage_->handle(message); }
  void handle(const ScanPods& message);
  void handle(const LocalEvictionBegun& message);
  /// Does everything that follows the beginning of an eviction, whatever its reason.
  void record_eviction(exporting::EvictionRecord record, const HotPod& victim);
  void destroy_released_pods();
  void forget_storage(const HotStorage& storage);
  void follow_pass(const PassCopy& copy);
  void report_brake(const PassCopy& copy);
  void report_signals(const PassCopy& copy);
  void resume_last_run();
  [[nodiscard]] std::optional<Adoption> adopt(const HotPod& pod, FoundPod found, MonoTime now);
  [[nodiscard]] std::optional<Adoption> adopt_deferred(const HotPod* pod);
  void withdraw_intent(const HotPod& pod);
  void record_adopted(const SavedEviction& known, const Adoption& adoption, MonoTime now);
  void resume_eviction(SavedEviction known, const Adoption& adoption, MonoTime now);
  [[nodiscard]] bool adopt_vanished(const SavedEviction& one, MonoTime now);
  void end_deferrals();
  void keep_state();
  // Entries of the journal; housekeeping_records.cpp.
  [[nodiscard]] Result<> start_journal();
  void journal_changes(const PassDone& message);
  void journal_progress(const exporting::EvictionRecord& record, const EvictionStep& message);
  void write_cut(const exporting::EvictionRecord& escalation);  ///< Of the evictions it cut.
  void note_released(CgroupId pod, std::optional<Bytes> left);
  void journal_oom_kill(const OomNotice& message, const HotPod* pod);  ///< nullptr: no known pod.
  [[nodiscard]] const HotPod* pod_in(std::uint32_t slot) const;        ///< nullptr: empty slot.
  void journal_stall(const StallNotice& message);
  void journal_unknown_pods();  ///< Once for each, as long as no source of pods describes it.
  void journal_degraded(std::string_view what, bool degraded, const std::string& text);
  void check_journal(MonoTime now);
  [[nodiscard]] nlohmann::ordered_json all_records() const;
  [[nodiscard]] std::string events_since(WallTime since) const;
  [[nodiscard]] std::string lines_after(const nlohmann::ordered_json& cursor) const;
  void release_memory_of(CgroupId pod);
  void set_watch_points(const Capacities& capacities);
  /// What the kernel side measures memory.available against; empty if it cannot watch it.
  [[nodiscard]] NodeMemory watched_node_memory(const PassCopy& copy) const;
  void log_memory_rules();
  void log_eviction(const exporting::EvictionRecord& record);
  void check_timer(MonoTime now);
  void watch_priority();
  void check_priority(MonoTime now);
  void log_problems();
  void follow_changes();
  void follow_pod_root();
  void log_shortage();
  void check_filesystems(MonoTime now);
  void check_reserve_terms();
  void report_guard_watcher();

  Options options_;
  base::EventLoop loop_;
  base::Timer health_timer_;
  base::Fd signals_;
  std::vector<std::unique_ptr<base::ReadyHandler>> handlers_;
  std::unique_ptr<base::LineServer> server_;
  std::unique_ptr<ReleaseWorker> releaser_;
  std::unique_ptr<StorageKeeping> storage_;
  ContainerMemory container_memory_;
  base::Fd mounts_;
  std::optional<RowKeeper> row_keeper_;
  ServiceNotifier service_;
  std::optional<Watchdog> watchdog_;  ///< Unset: the configuration disables it.
  std::shared_ptr<const config::Config> config_;
  PassRules rules_;
  RecordStore records_;
  std::optional<Journal> journal_;
  std::optional<PassRecorder> recorder_;
  std::uint64_t config_generation_ = 0;  ///< Number of the configuration in force, from 0.
  PassWatch pass_watch_;
  std::uint64_t watched_generation_ = 0;  ///< The generation in the newest pass reported.
  /// The newest pass, for status: a buffer of the hot thread, returned at the next pass.
  std::unique_ptr<PassCopy> last_pass_;
  PassTrigger last_trigger_ = PassTrigger::kRegular;
  MonoTime last_pass_at_{};
  std::unique_ptr<StateKeeper> keeper_;
  engine::OperatorWishes wishes_;
  std::uint64_t wishes_generation_ = 0;
  eviction::Reason brake_ = eviction::Reason::kNone;  ///< Of the last pass, as logged.
  enforce::ActuatorCounters actuator_counters_;
  Capacities capacities_;
  std::string watch_problem_;  ///< Why some thresholds are not watched, as logged.
  GuardState guard_;
  eviction::ConditionSet conditions_;
  std::vector<std::unique_ptr<HotPod>> released_pods_;  ///< Released, maybe still in use.
  std::vector<ToHot> backlog_;                          ///< Not yet taken, in order.
  ProblemLog problem_log_;
  MonoTime started_at_{};
  MonoTime next_check_{};
  int checks_to_rescan_ = 1;
  TimerWatch timer_watch_;
  std::optional<PriorityWatch> priority_watch_;  ///< Created once the hot thread runs.
  bool state_failing_ = false, short_of_descriptors_ = false;
  std::set<std::string> journaled_unknown_;  ///< Uids that the journal has.
  LoggedDisks logged_disks_;
  bool ready_ = false, stop_ = false;
};

}  // namespace evictd::daemon
