// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/log.h"
#include "base/system_clock.h"
#include "config/config.h"
#include "daemon/daemon.h"
#include "daemon/hot/hot_loop.h"
#include "daemon/housekeeping.h"
#include "daemon/kernel_side.h"
#include "daemon/notify/notify_worker.h"
#include "daemon/state/state_keeper.h"
#include "daemon/threads.h"
#include "disk/filesystems.h"
#include "enforce/cgroup_actuator.h"
#include "enforce/dry_run_actuator.h"
#include "evictd/result.h"
#include "eviction/brakes.h"

namespace evictd::daemon {

/// All parts of the daemon, in the order of creation; they are destroyed in reverse order.
class Composition {
 public:
  Composition(DaemonOptions options, std::shared_ptr<const config::Config> config);

  /// Creates the parts and runs them until SIGTERM or SIGINT. Errors: those of run_daemon().
  Result<> run();

 private:
  Result<> set_up_process();
  Result<> find_pods();
  Result<> find_disks();
  Result<> find_last_state();
  /// Restores timers and conditions from the last run.
  Result<> restore(HotConfig& hot);
  Result<> load_kernel_side();
  /// Runs after the evictor's own kernel side, which it must not delay. Failures are reported
  /// later.
  Result<> serve_notifications();
  /// Runs after the kernel programs are loaded. Loading takes several MiB of heap. That heap is
  /// returned first, because locked pages could not be.
  Result<> lock_memory();
  [[nodiscard]] bool events_tell_pods() const;
  Result<> make_hot_loop();
  Result<> make_housekeeping();

  DaemonOptions options_;
  std::shared_ptr<const config::Config> config_;
  base::SystemClock clock_;
  base::Log log_;
  bool memory_locked_ = false;
  eviction::GrowthLimits growth_;
  std::uint64_t descriptor_limit_ = 0;
  std::optional<sys::Root> root_;
  std::unique_ptr<PodRegistry> registry_;
  std::unique_ptr<disk::Filesystems> filesystems_;
  StateKeeper::Options state_;
  KernelSide kernel_;
  std::unique_ptr<NotifyWorker> notify_;
  /// Holds pods, which refer to the actuators while they are being evicted, and the reverse.
  /// Targets must outlive the actuators.
  std::unique_ptr<Threads> threads_;
  std::unique_ptr<HotLoop> hot_;
  std::unique_ptr<Housekeeping> house_;
  std::unique_ptr<enforce::CgroupActuator> actuator_;
  enforce::DryRunActuator dry_run_;
};

}  // namespace evictd::daemon
