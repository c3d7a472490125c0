// SPDX-License-Identifier: Apache-2.0
#include "daemon/notify/notify_only.h"

#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>

#include "base/log.h"
#include "base/system_clock.h"
#include "daemon/control/socket_directory.h"
#include "daemon/descriptor_shares.h"
#include "daemon/health/priority_return.h"
#include "daemon/health/service_notifier.h"
#include "daemon/process_setup.h"
#include "daemon/shared/callback_handler.h"
#include "daemon/shared/realtime.h"
#include "evictd/try.h"
#include "notify/make_engine.h"
#include "notify/service.h"
#include "sys/scheduling.h"

namespace evictd::daemon {
namespace {

constexpr Duration kLongestRun = std::chrono::seconds(1);

Result<base::Fd> signals_as_descriptor() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT}) {
    sigaddset(&set, signal);
  }
  if (const int failure = pthread_sigmask(SIG_BLOCK, &set, nullptr); failure != 0) {
    return fail_errno(failure, "block signals");
  }
  base::Fd fd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd) {
    return fail_errno(errno, "create a signalfd");
  }
  return fd;
}

/// For optional steps; evictd continues without.
void prefer(const Result<>& done, std::string_view without, base::Log& log) {
  if (!done) {
    log.warn(done.error().message() + ", continuing without " + std::string(without));
  }
}

Result<> make_realtime() {
  return make_thread_realtime(kNotifyPriority, kLongestRun);
}

void take_the_cpu_first(base::Log& log) {
  // Helps where real-time priority is refused or lost.
  static_cast<void>(sys::ask_for_short_slices());
  Result<> prepared = prepare_realtime_overrun_signal();
  if (prepared) {
    prepared = make_realtime();
  }
  prefer(prepared, "real-time priority", log);
  prefer(lock_memory(), "locked memory", log);
  if (const Result<DescriptorLimit> limit = raise_descriptor_limit(); !limit) {
    log.warn(limit.error().message() + ", continuing with few descriptors");
  }
}

Result<> serve(base::EventLoop& loop, const base::Fd& signals, PriorityReturn& priority) {
  bool asked_to_stop = false;
  CallbackHandler stop([&] { asked_to_stop = true; });
  EVICTD_TRY(loop.add(signals.get(), EPOLLIN, stop));
  while (!asked_to_stop) {
    EVICTD_TRY(loop.run_once());
    priority.check();
  }
  loop.remove(signals.get(), stop);
  return {};
}

}  // namespace

Result<> run_notify_only(const NotifyOnlyOptions& options) {
  const base::SystemClock clock;
  base::Log log(options.log, clock, base::detect_log_stream());
  ignore_broken_pipes();
  EVICTD_ASSIGN_OR_RETURN(const base::Fd signals, signals_as_descriptor());
  EVICTD_ASSIGN_OR_RETURN(notify::MadeEngine made,
                          notify::make_engine({.kernel = {.pin = options.hook}}, clock));
  EVICTD_ASSIGN_OR_RETURN(base::EventLoop loop, base::EventLoop::create());
  if (!made.polls_because.empty()) {
    log.warn(made.polls_because + ", continuing without hooks: evictd reads files");
  }
  if (const std::string& why = made.engine->events().no_pressure_because(); !why.empty()) {
    log.warn(why);
  }
  EVICTD_TRY(make_socket_directory(options.socket));
  EVICTD_ASSIGN_OR_RETURN(const std::unique_ptr<notify::Service> service,
                          notify::Service::create({.path = options.socket}, loop, *made.engine));
  const ServiceNotifier manager;
  EVICTD_ASSIGN_OR_RETURN(const std::unique_ptr<PriorityReturn> priority,
                          PriorityReturn::create(loop, log, clock,
                                                 {.losses = realtime_overruns,
                                                  .make_realtime = make_realtime,
                                                  .show = [&manager](std::string_view line) {
                                                    manager.status(line);
                                                  }}));
  take_the_cpu_first(log);
  log.info("serving notifications",
           {{"socket", options.socket.string()}, {"backend", made.engine->backend_name()}});
  static_cast<void>(manager.ready());
  Result<> served = serve(loop, signals, *priority);
  manager.stopping();
  log.info("stopped");
  return served;
}

}  // namespace evictd::daemon
