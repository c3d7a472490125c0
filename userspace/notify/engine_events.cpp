// SPDX-License-Identifier: Apache-2.0
// Registrations of PRESSURE and OOM, which are events and not values.
#include <fcntl.h>

#include <array>
#include <cerrno>

#include "evictd/try.h"
#include "notify/engine.h"

namespace evictd::notify {

Result<Listening> Engine::listen_to_event(RegistrationId id, Registration registration,
                                          base::Fd directory) {
  const Terms terms = registration.terms;
  const CgroupId cgroup = registration.key.cgroup;
  const uid_t owner = registration.owner;
  const base::Fd kept(::fcntl(directory.get(), F_DUPFD_CLOEXEC, 3));
  if (!kept) {
    const int error = errno;
    release(registration.owner, std::move(registration.eventfd));
    return fail_errno(error, "keep a directory");
  }
  // First, because it checks that this is a cgroup with memory and that it still exists.
  EVICTD_ASSIGN_OR_RETURN(Listening listening,
                          listen_to_level(id, std::move(registration), std::move(directory)));
  if (const Result<> begun = events_->listen(id, owner, cgroup, terms, kept.get()); !begun) {
    end_locked(std::array{id});
    return Failure(begun.error());
  }
  return listening;
}

void Engine::limit_oom_files(ShareLimits limits) {
  const std::lock_guard lock(mutex_);
  events_->limit_oom_files(limits);
}

void Engine::on_events(std::span<const RegistrationId> ids) {
  due_.insert(due_.end(), ids.begin(), ids.end());
  deliver();
}

}  // namespace evictd::notify
