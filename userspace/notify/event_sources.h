// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/event_loop.h"
#include "evictd/result.h"
#include "notify/event_sink.h"
#include "notify/kernel_relay.h"
#include "notify/oom_files.h"
#include "notify/pressure_listeners.h"
#include "notify/pressure_program.h"

namespace evictd::notify {

/// The sources of PRESSURE and OOM. On cgroup v1 both come from the kernel's own eventfds. On v2
/// OOM comes from memory.events.local and PRESSURE from a kernel program.
class EventSources final : private base::ReadyHandler {
 public:
  enum class Programs { kAllowed, kNone };

  /// `loop` and `sink` are borrowed; `loop` delivers the events. A kernel program that cannot be
  /// loaded is not an error; see no_pressure_because().
  [[nodiscard]] static Result<std::unique_ptr<EventSources>> create(base::EventLoop& loop,
                                                                    EventSink& sink,
                                                                    Programs programs);
  EventSources(const EventSources&) = delete;
  EventSources& operator=(const EventSources&) = delete;
  ~EventSources() override;

  /// Bits (1 << signal): PRESSURE and OOM, if this machine supports them.
  [[nodiscard]] std::uint32_t signals() const;
  /// Why PRESSURE cannot be watched; empty if it can.
  [[nodiscard]] const std::string& no_pressure_because() const { return no_pressure_because_; }
  /// The hook that reports pressure: "cgroup.event_control", "fentry/vmpressure_work_fn".
  [[nodiscard]] std::string pressure_hook() const;

  /// As OomFiles::limit().
  void limit_oom_files(ShareLimits limits) { oom_files_.limit(limits); }
  /// Starts to report to `id`, a registration of the user `owner`. `directory` is the cgroup's and
  /// only used during the call.
  /// Errors, in sys_errno: EOPNOTSUPP, ENODEV, ENOSPC, those of OomFiles::listen() and of creating
  /// descriptors.
  [[nodiscard]] Result<> listen(RegistrationId id, uid_t owner, CgroupId cgroup, const Terms& terms,
                                int directory);
  /// Reports all signals that `id` is due so far.
  void settle(RegistrationId id);
  void end(RegistrationId id);

 private:
  EventSources(base::EventLoop& loop, EventSink& sink);
  void on_ready(std::uint32_t events) override;
  void drain_program();
  [[nodiscard]] Result<> listen_to_program(RegistrationId id, CgroupId cgroup, const Terms& terms);

  base::EventLoop& loop_;
  EventSink& sink_;
  KernelRelay relay_;
  OomFiles oom_files_;
  PressureListeners pressure_;
  std::unique_ptr<PressureProgram> program_;
  std::string no_pressure_because_;
};

}  // namespace evictd::notify
