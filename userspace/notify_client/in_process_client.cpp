// SPDX-License-Identifier: Apache-2.0
#include "notify_client/in_process_client.h"

#include <fcntl.h>

#include <cerrno>
#include <optional>
#include <span>
#include <utility>

#include "evictd/try.h"
#include "notify/make_engine.h"
#include "notify_client/eventfd_name.h"

namespace evictd::notify_client {

int errno_of_opening(const Error& error) {
  switch (error.sys_errno) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
      return error.sys_errno;
    default:
      return error.code == Errc::kPermission ? EPERM : EOPNOTSUPP;
  }
}

Result<std::unique_ptr<InProcessClient>> InProcessClient::create() {
  std::unique_ptr<InProcessClient> client(new InProcessClient());
  Result<notify::MadeEngine> made =
      notify::make_engine({.kernel = {}, .may_poll = false}, client->clock_);
  if (!made) {
    return fail_errno(errno_of_opening(made.error()), made.error().context);
  }
  client->engine_ = std::move(made->engine);
  Result<std::unique_ptr<notify::EngineThread>> thread =
      notify::EngineThread::start(*client->engine_);
  if (!thread) {
    return fail_errno(thread.error().sys_errno != 0 ? thread.error().sys_errno : EAGAIN,
                      thread.error().context);
  }
  client->thread_ = std::move(*thread);
  return client;
}

Result<std::uint64_t> InProcessClient::add(base::Fd cgroup, const evictd_notify_watch& watch,
                                           int eventfd) {
  EVICTD_ASSIGN_OR_RETURN(const EventFdName name, name_eventfd(eventfd));
  base::Fd held(::fcntl(eventfd, F_DUPFD_CLOEXEC, 3));
  if (!held) {
    return fail_errno(errno, "eventfd");
  }
  const std::optional<notify::Terms> terms = notify::terms_of({.signal = watch.signal,
                                                               .unit = watch.unit,
                                                               .direction = watch.direction,
                                                               .mode = watch.mode},
                                                              watch.threshold, watch.hysteresis);
  if (!terms) {
    return fail_errno(EINVAL, "terms");
  }
  EVICTD_ASSIGN_OR_RETURN(const notify::Listening listening,
                          engine_->listen({.terms = *terms,
                                           .eventfd = std::move(held),
                                           .directory = std::move(cgroup),
                                           .pid = 0,
                                           .number = name.id ? eventfd : -1}));
  return listening.id;
}

Result<> InProcessClient::remove(std::uint64_t id) {
  return engine_->end(std::span(&id, 1)) == 1 ? Result<>() : fail_errno(ENOENT, "registration");
}

Result<evictd_notify_state> InProcessClient::query(std::uint64_t id) {
  const std::optional<notify::Listening> seen = engine_->query(id);
  if (!seen) {
    return fail_errno(ENOENT, "registration");
  }
  evictd_notify_state state{};
  state.side = seen->side;
  state.value = seen->value;
  state.deliveries = seen->deliveries;
  return state;
}

evictd_notify_info InProcessClient::info() {
  evictd_notify_info info{};
  info.connected = 1;
  info.backend = engine_->backend();
  info.signals = engine_->signals();
  info.registrations = static_cast<std::uint32_t>(engine_->counters().registrations);
  return info;
}

}  // namespace evictd::notify_client
