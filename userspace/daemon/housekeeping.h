// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/event_loop.h"
#include "base/timer.h"
#include "daemon/control/control_service.h"
#include "daemon/health/health_service.h"
#include "daemon/health/watched_thresholds.h"
#include "daemon/pods/pods_service.h"
#include "daemon/records/records_service.h"
#include "daemon/service_context.h"
#include "daemon/shared/messages.h"
#include "daemon/state/state_service.h"
#include "daemon/storage/release_worker.h"
#include "daemon/storage/storage_keeping.h"

namespace evictd::daemon {

/// The main thread: everything that may block, allocate or take long. Its services do the work;
/// this class creates them, waits for descriptors, and routes messages and reloads. If it stalls,
/// evictions continue.
class Housekeeping final {
 public:
  using Options = HousekeepingOptions;

  [[nodiscard]] static Result<std::unique_ptr<Housekeeping>> create(Options options);
  Housekeeping(const Housekeeping&) = delete;
  Housekeeping& operator=(const Housekeeping&) = delete;
  ~Housekeeping() = default;

  /// Gives all pods and watch points to the hot thread and the kernel side; call before it starts.
  void hand_over_everything();
  /// Runs until SIGTERM or SIGINT. Reports READY once everything is set up.
  [[nodiscard]] Result<> run();

 private:
  Housekeeping(Options options, base::EventLoop loop, base::Timer health_timer);
  [[nodiscard]] Result<> create_services();
  void report_start();
  [[nodiscard]] Result<> watch(int fd, std::function<void()> callback);
  [[nodiscard]] Result<> watch_descriptors();
  [[nodiscard]] Result<> watch_mounts();

  void on_signal();
  void on_messages();
  void on_health_check();
  void reload();
  [[nodiscard]] Result<> try_reload();

  void handle(std::monostate& /*nothing*/) {}
  void handle(RetirePod& message) { pods_->handle(message); }
  void handle(PassDone& message);
  void handle(const EvictionStep& message);
  void handle(const EvictionRefused& message);
  void handle(const LocalEvictionBegun& message);
  void handle(const TargetUsed& message) { pods_->handle(message); }
  void handle(const LossNotice& message) { pods_->handle(message); }
  void handle(const PassNeed& need);
  void begin(const engine::ScanPods& scan) { pods_->scan(scan); }
  void begin(const engine::MeasurePods& measure) { storage_->measure(measure); }
  void begin(const engine::RunCollectors& run) { storage_->collect(run); }
  void handle(const KernelNotice& message);
  void take(const probe::StallRising& stall, std::string_view text);
  void take(probe::CgroupChanged change, std::string_view path);
  void take(const probe::OomKill& kill, std::string_view process);
  void begin_eviction(const PassDone& message, const eviction::Threshold& threshold);
  void follow_up(const exporting::EvictionRecord& record, const HotPod& victim);
  void log_refusal(const EvictionRefused& message, const std::string& who);
  void release_memory_of(CgroupId pod);

  ServiceContext context_;
  base::EventLoop loop_;
  base::Timer health_timer_;
  base::Fd signals_;
  base::Fd mounts_;
  std::vector<std::unique_ptr<base::ReadyHandler>> handlers_;
  std::unique_ptr<RecordsService> records_;
  std::unique_ptr<StorageKeeping> storage_;
  std::optional<WatchedThresholds> thresholds_;
  std::unique_ptr<StateService> state_;
  std::unique_ptr<PodsService> pods_;
  /// Ends before the pods whose targets it may be using.
  std::unique_ptr<ReleaseWorker> releaser_;
  std::optional<HealthService> health_;
  std::unique_ptr<ControlService> control_;
  MonoTime next_check_{};
  bool stop_ = false;
};

}  // namespace evictd::daemon
