// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/log.h"
#include "base/system_clock.h"
#include "config/config.h"
#include "daemon/daemon.h"
#include "daemon/hot_loop.h"
#include "daemon/housekeeping.h"
#include "daemon/kernel_side.h"
#include "daemon/notify_worker.h"
#include "daemon/state_keeper.h"
#include "daemon/threads.h"
#include "disk/filesystems.h"
#include "enforce/cgroup_actuator.h"
#include "enforce/dry_run_actuator.h"
#include "evictd/result.h"
#include "eviction/brakes.h"

namespace evictd::daemon {

/// All parts of the daemon, in the order in which they are made; they end in the reverse order.
class Composition {
 public:
  Composition(DaemonOptions options, std::shared_ptr<const config::Config> config);

  /// Makes the parts and runs them until SIGTERM or SIGINT. Errors: those of run_daemon().
  Result<> run();

 private:
  Result<> set_up_process();
  Result<> find_pods();
  Result<> find_disks();
  Result<> find_last_state();
  /// Timers and conditions go on from where the last run left them.
  Result<> restore(HotConfig& hot);
  Result<> load_kernel_side();
  /// After the evictor's own kernel side, which it must not delay. Whatever fails is told of later.
  Result<> serve_notifications();
  /// After the kernel programs are loaded: what that took several MiB of heap for is given back
  /// before, which pages that are locked could not be.
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
  /// Pods are in these and refer to the actuators while they are being evicted, and the other way
  /// round: targets must outlive the actuators.
  std::unique_ptr<Threads> threads_;
  std::unique_ptr<HotLoop> hot_;
  std::unique_ptr<Housekeeping> house_;
  std::unique_ptr<enforce::CgroupActuator> actuator_;
  enforce::DryRunActuator dry_run_;
};

}  // namespace evictd::daemon
