// SPDX-License-Identifier: Apache-2.0
#include "daemon/notify/notify_worker.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "daemon/shared/callback_handler.h"
#include "evictd/try.h"

namespace evictd::daemon {

namespace {

/// For an answer of a thread that never blocks itself; delays status by this at most.
constexpr std::chrono::milliseconds kPatience{50};

/// Connections get one of so many parts of the descriptors, twice: root's and the others'.
constexpr std::uint64_t kConnectionParts = 32;
/// A registration has two, the eventfd and the cgroup. One of pressure or OOM on cgroup v1 has two
/// more. All listeners to one working set share up to four.
constexpr std::uint64_t kRegistrationParts = 8;
/// A registration of OOM on v2 has one for each level, of which there may be many: they are
/// counted.
constexpr std::uint64_t kOomFileParts = 8;

std::uint32_t at_most(std::uint64_t number, std::uint32_t most) {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(number, 1, most));
}

}  // namespace

notify::ServiceOptions service_options_of(const NotifyWorkerOptions& options) {
  notify::ServiceOptions service;
  service.path = options.socket;
  const std::uint64_t connections = options.descriptors / kConnectionParts;
  const std::uint64_t registrations = options.descriptors / kRegistrationParts;
  const std::uint64_t oom_files = options.descriptors / kOomFileParts;
  service.root = {.connections = at_most(connections, service.root.connections),
                  .registrations = at_most(registrations, service.root.registrations),
                  .oom_files = at_most(oom_files, service.root.oom_files)};
  service.max_connections = at_most(connections, service.max_connections);
  service.max_registrations = at_most(registrations, service.max_registrations);
  service.max_oom_files = at_most(oom_files, service.max_oom_files);
  service.user = {.connections = at_most(connections / 2, service.user.connections),
                  .registrations = at_most(registrations / 2, service.user.registrations),
                  .oom_files = at_most(oom_files / 2, service.user.oom_files)};
  return service;
}

std::unique_ptr<NotifyWorker> NotifyWorker::start(const NotifyWorkerOptions& options,
                                                  const core::Clock& clock) {
  std::unique_ptr<NotifyWorker> worker(new NotifyWorker);
  worker->report_.socket = options.socket;
  worker->report_.limits = service_options_of(options);
  if (const Result<> prepared = worker->prepare(options, clock); !prepared) {
    worker->give_up(prepared.error().message());
  }
  return worker;
}

Result<> NotifyWorker::prepare(const NotifyWorkerOptions& options, const core::Clock& clock) {
  EVICTD_ASSIGN_OR_RETURN(notify::MadeEngine made,
                          notify::make_engine({.kernel = {.pin = options.hook}}, clock));
  engine_ = std::move(made.engine);
  report_.polling = engine_->backend() == EVICTD_NOTIFY_POLLING;
  report_.backend = engine_->backend_name();
  report_.polls_because =
      options.no_hook_because.empty() ? made.polls_because : options.no_hook_because;
  report_.no_pressure_because = engine_->events().no_pressure_because();
  EVICTD_ASSIGN_OR_RETURN(loop_, base::EventLoop::create());
  EVICTD_ASSIGN_OR_RETURN(bell_, base::WakeUp::create());
  EVICTD_ASSIGN_OR_RETURN(service_, notify::Service::create(report_.limits, *loop_, *engine_));
  report_.serving = true;
  Result<> started = worker_.start("evictd-notify", [this] { run(); });
  if (!started) {
    service_.reset();
  }
  return started;
}

NotifyWorker::~NotifyWorker() {
  worker_.request_end();
  if (bell_) {
    bell_->signal();
  }
}

/// An exception would end the process on another thread; here it ends only the service.
void NotifyWorker::run() {
  Result<> served;
  try {
    served = serve();
  } catch (const std::exception& thrown) {
    served = fail(Errc::kIo, thrown.what());
  }
  service_.reset();
  if (!served) {
    give_up(served.error().message());
  }
}

Result<> NotifyWorker::serve() {
  CallbackHandler on_bell([this] { bell_->consume(); });
  EVICTD_TRY(loop_->add(bell_->descriptor(), EPOLLIN, on_bell));
  while (!worker_.ending()) {
    EVICTD_TRY(loop_->run_once());
    while (worker_.next(Duration::zero())) {
      answer();
    }
  }
  return {};
}

void NotifyWorker::answer() {
  const notify::ServiceCounters service = service_->counters();
  const notify::EngineCounters engine = engine_->counters();
  const auto by_signal = engine_->registrations_by_signal();
  const std::lock_guard lock(mutex_);
  report_.service = service;
  report_.engine = engine;
  report_.by_signal = by_signal;
}

void NotifyWorker::give_up(const std::string& problem) {
  const std::lock_guard lock(mutex_);
  report_.serving = false;
  report_.problem = problem;
  ++report_.failures;
}

NotifyReport NotifyWorker::report() {
  std::unique_lock lock(mutex_);
  bool answered = false;
  if (report_.serving) {
    lock.unlock();
    worker_.replace(Question{});
    bell_->signal();
    answered = worker_.await_idle(kPatience);
    lock.lock();
  }
  NotifyReport now = report_;
  now.stale = report_.serving && !answered;
  return now;
}

std::optional<std::string> NotifyWorker::take_problem() {
  const std::lock_guard lock(mutex_);
  if (report_.problem.empty() || problem_taken_) {
    return std::nullopt;
  }
  problem_taken_ = true;
  return report_.problem;
}

}  // namespace evictd::daemon
