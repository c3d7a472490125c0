// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/event_loop.h"
#include "base/fd.h"
#include "evictd/result.h"
#include "notify/event_sink.h"
#include "notify/terms.h"

namespace evictd::notify {

/// PRESSURE and OOM of cgroup v1, from the kernel's own notifications. Each registration has an
/// eventfd of ours in the cgroup's cgroup.event_control; signals on it are passed on. It must be
/// ours, because the kernel unregisters an eventfd only when its last descriptor is closed.
class KernelRelay {
 public:
  /// `loop` and `sink` are borrowed.
  KernelRelay(base::EventLoop& loop, EventSink& sink);
  KernelRelay(const KernelRelay&) = delete;
  KernelRelay& operator=(const KernelRelay&) = delete;
  ~KernelRelay();

  /// `directory` is the cgroup's. Errors, in sys_errno: EOPNOTSUPP (no such control file: the
  /// kernel was built without it), ENODEV (the cgroup was removed), those of eventfd() and of the
  /// kernel.
  [[nodiscard]] Result<> listen(RegistrationId id, const Terms& terms, int directory);
  /// Passes on what the kernel has added to the eventfd of `id` so far.
  void settle(RegistrationId id);
  void end(RegistrationId id);

 private:
  class Relay;

  base::EventLoop& loop_;
  EventSink& sink_;
  std::map<RegistrationId, std::unique_ptr<Relay>> relays_;
};

/// The arguments for cgroup.event_control after the descriptors: "low", "medium,local", none for
/// OOM.
[[nodiscard]] std::string control_arguments(const Terms& terms);

}  // namespace evictd::notify
