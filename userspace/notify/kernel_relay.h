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

/// PRESSURE and OOM of cgroup v1, as the kernel itself tells them: each registration has an eventfd
/// of ours in the cgroup's cgroup.event_control, and what the kernel adds to it is passed on. Ours,
/// because the kernel unregisters an eventfd only once nobody has it open any more.
class KernelRelay {
 public:
  /// Both are borrowed.
  KernelRelay(base::EventLoop& loop, EventSink& sink);
  KernelRelay(const KernelRelay&) = delete;
  KernelRelay& operator=(const KernelRelay&) = delete;
  ~KernelRelay();

  /// `directory` is the cgroup's. Errors, in sys_errno: EOPNOTSUPP (the cgroup has no such control
  /// file, because the kernel was built without it), ENODEV (it was removed), what eventfd() and
  /// the kernel say.
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

/// What cgroup.event_control takes behind the descriptors: "low", "medium,local", nothing for OOM.
[[nodiscard]] std::string control_arguments(const Terms& terms);

}  // namespace evictd::notify
