// SPDX-License-Identifier: Apache-2.0
#include "notify/engine.h"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "evictd/try.h"
#include "notify/descriptors.h"
#include "notify/engine_turn.h"
#include "notify/ring_turn.h"

namespace evictd::notify {
namespace {

/// How long to wait for a record that another CPU is still writing; at worst that CPU's task is
/// preempted.
constexpr Duration kBeginTime = std::chrono::seconds(2);

Result<std::uint64_t> checked(const ListenRequest& request) {
  if (check_terms(request.terms) != 0) {
    return fail_errno(EINVAL, "terms of a notification");
  }
  const EventfdIdentity own = eventfd_of(0, request.eventfd.get());
  if (own.problem != 0) {
    return fail_errno(own.problem, "look at the first descriptor");
  }
  if (!own.id) {
    return fail_errno(EBADF, "the first descriptor is not an eventfd");
  }
  if (const int problem = check_directory(request.directory.get()); problem != 0) {
    return fail_errno(problem, "the second descriptor is no directory of a cgroup");
  }
  return *own.id;
}

/// No value ever exceeds it.
constexpr std::uint64_t kBeyond = std::numeric_limits<std::uint64_t>::max();

/// What is watched for a registration besides its events. For PRESSURE and OOM it is an edge of
/// usage that is never crossed, so that these learn of a removal like all others.
Terms level_terms(const Terms& terms) {
  if (!has_value(terms.signal)) {
    return {.direction = EVICTD_NOTIFY_UP, .threshold = kBeyond, .hysteresis = 0};
  }
  return in_whole_pages(terms, static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

}  // namespace

Engine::Engine(std::unique_ptr<Backend> backend, const core::Clock& clock, base::EventLoop loop,
               std::array<base::Timer, 3> timers, EventfdSignaller signaller, Waiting waiting)
    : backend_(std::move(backend)),
      clock_(clock),
      loop_(std::move(loop)),
      timer_(std::move(timers[0])),
      reading_timer_(std::move(timers[1])),
      paying_timer_(std::move(timers[2])),
      signaller_(std::move(signaller)),
      waiting_(waiting),
      shares_(backend_->room()) {}

Engine::~Engine() {
  const Turn turn(*this);
  while (!registrations_.empty()) {
    forget(registrations_.begin());
  }
}

Result<std::unique_ptr<Engine>> Engine::create(std::unique_ptr<Backend> backend,
                                               const core::Clock& clock, Waiting waiting) {
  EVICTD_ASSIGN_OR_RETURN(base::EventLoop loop, base::EventLoop::create());
  EVICTD_ASSIGN_OR_RETURN(base::Timer timer, base::Timer::create());
  EVICTD_ASSIGN_OR_RETURN(base::Timer reading_timer, base::Timer::create());
  EVICTD_ASSIGN_OR_RETURN(base::Timer paying_timer, base::Timer::create());
  EVICTD_ASSIGN_OR_RETURN(EventfdSignaller signaller, EventfdSignaller::create());
  std::unique_ptr<Engine> engine(
      new Engine(std::move(backend), clock, std::move(loop),
                 {std::move(timer), std::move(reading_timer), std::move(paying_timer)},
                 std::move(signaller), waiting));
  EVICTD_TRY(engine->loop_.add(engine->backend_->descriptor(), EPOLLIN, engine->backend_ready_));
  EVICTD_TRY(engine->loop_.add(engine->timer_.descriptor(), EPOLLIN, engine->timer_ready_));
  EVICTD_TRY(
      engine->loop_.add(engine->reading_timer_.descriptor(), EPOLLIN, engine->reading_ready_));
  EVICTD_TRY(engine->loop_.add(engine->paying_timer_.descriptor(), EPOLLIN, engine->paying_ready_));
  // A backend without kernel programs has none for pressure either.
  EVICTD_ASSIGN_OR_RETURN(engine->events_,
                          EventSources::create(engine->loop_, *engine,
                                               engine->backend() == EVICTD_NOTIFY_KERNEL
                                                   ? EventSources::Programs::kAllowed
                                                   : EventSources::Programs::kNone));
  return engine;
}

Result<Listening> Engine::listen(ListenRequest request) {
  const Result<std::uint64_t> eventfd_id = checked(request);
  const Turn turn(*this);
  Result<Listening> listening = eventfd_id ? listen_locked(request, *eventfd_id)
                                           : Result<Listening>(Failure(eventfd_id.error()));
  release(request.owner, std::move(request.eventfd));
  release(request.owner, std::move(request.directory));
  return listening;
}

Result<Listening> Engine::listen_locked(ListenRequest& request, std::uint64_t eventfd_id) {
  // The listeners' sides are current once all earlier reports have been processed.
  drain_backend_for_others();
  EVICTD_ASSIGN_OR_RETURN(const CgroupId cgroup, backend_->identify(request.directory.get()));
  const bool is_value = has_value(request.terms.signal);
  if ((signals() >> request.terms.signal & 1U) == 0) {
    return fail_errno(EOPNOTSUPP, is_value ? "this signal cannot be watched here"
                                           : events_->no_pressure_because());
  }
  const LevelKey key{.cgroup = cgroup,
                     .signal = is_value ? request.terms.signal : EVICTD_NOTIFY_USAGE,
                     .unit = request.terms.unit};
  if (const int problem = shares_.check(request.owner, key, request.terms); problem != 0) {
    return fail_errno(problem, "a share of what can be watched is used up");
  }
  Registration registration{.terms = request.terms,
                            .key = key,
                            .eventfd = std::move(request.eventfd),
                            .eventfd_id = eventfd_id,
                            .pid = request.pid,
                            .number = request.number,
                            .owner = request.owner};
  const RegistrationId id = ++last_id_;
  registration.id = id;
  Result<Listening> listening =
      is_value ? listen_to_level(id, std::move(registration), std::move(request.directory))
               : listen_to_event(id, std::move(registration), std::move(request.directory));
  deliver();
  return listening;
}

Result<Listening> Engine::listen_to_level(RegistrationId id, Registration registration,
                                          base::Fd directory) {
  const LevelKey key = registration.key;
  const Terms terms = level_terms(registration.terms);
  // First, because the events awaited below may already concern it.
  shares_.add(registration);
  deliveries_.join(registrations_.emplace(id, std::move(registration)).first->second);
  Group& group = groups_[key];
  if (!group.live) {
    group.directory = std::move(directory);
  }
  std::vector<LevelListener> listeners = current_listeners(group);
  listeners.push_back({.id = id,
                       .threshold = terms.threshold,
                       .hysteresis = terms.hysteresis,
                       .direction = terms.direction});
  const Result<> built = rebuild(key, std::move(listeners));
  const auto kept = registrations_.find(id);
  if (!built || kept == registrations_.end()) {
    if (kept != registrations_.end()) {
      forget(kept);
    }
    std::erase(ended_, id);
    if (const auto found = groups_.find(key); found != groups_.end() && !found->second.live) {
      take_down(key, found->second);
      groups_.erase(found);
    }
    return built ? Result<Listening>(fail_errno(ENODEV, "the cgroup was removed"))
                 : Failure(built.error());
  }
  const MonoTime sweep = clock_.now() + Sweeps::pause(registrations_.size());
  sweeps_.next = sweeps_.next == MonoTime{} ? sweep : std::min(sweeps_.next, sweep);
  arm_sweep();
  return describe(id, kept->second);
}

Result<> Engine::rebuild(const LevelKey& key, std::vector<LevelListener> listeners) {
  Levels next(std::move(listeners));
  Result<RowId> row = fail_errno(ENOSPC, "");
  for (int i = 0; i < 2 && !row && row.error().sys_errno == ENOSPC; ++i) {
    if (i > 0) {
      drain_until_empty();
    }
    const auto group = groups_.find(key);
    if (group == groups_.end()) {
      return fail_errno(ENODEV, "the cgroup was removed");
    }
    row = backend_->watch(key, group->second.directory.get(), next.edges(),
                          group->second.live ? &group->second.row : nullptr);
  }
  if (!row) {
    return Failure(row.error());
  }
  Group& group = groups_[key];
  if (const Result<> opened = open_files(key, group, *row); !opened) {
    backend_->unwatch(*row);
    return Failure(opened.error());
  }
  group.next = std::move(next);
  group.next_row = *row;
  rows_[*row] = key;
  return wait_for_begin(key);
}

void Engine::drain_until_empty() {
  // As many drains as a turn has records: one record may be many signals and then ends its turn.
  pollfd ready{.fd = backend_->descriptor(), .events = POLLIN, .revents = 0};
  int taken = 0;
  do {
    drain_backend_for_others();
  } while (++taken<RingTurn::kRecords&& ::poll(&ready, 1, 0)> 0);
}

Result<> Engine::wait_for_begin(const LevelKey& key) {
  const MonoTime give_up = clock_.now() + kBeginTime;
  while (true) {
    drain_backend_for_others();
    const auto group = groups_.find(key);
    if (group == groups_.end()) {
      return fail_errno(ENODEV, "the cgroup was removed");
    }
    if (!group->second.next) {
      return {};
    }
    if (clock_.now() > give_up) {
      return fail_errno(ETIMEDOUT, "the kernel does not say that it watches");
    }
    pollfd ready{.fd = backend_->descriptor(), .events = POLLIN, .revents = 0};
    static_cast<void>(::poll(&ready, 1, 100));
    ::sched_yield();
  }
}

Group* Engine::group_of(RowId row) {
  const auto key = rows_.find(row);
  const auto group = key == rows_.end() ? groups_.end() : groups_.find(key->second);
  return group == groups_.end() ? nullptr : &group->second;
}

void Engine::on_move(const RowMove& move) {
  Group* group = group_of(move.row);
  if (group == nullptr || !group->live || group->row != move.row) {
    return;
  }
  if (group->files) {
    read_files_on_hint(*group, move);
  } else {
    advance(*group, move.position, move.gap);
  }
}

void Engine::advance(Group& group, std::uint32_t position, bool gap) {
  crossed_listeners_.clear();
  group.levels.move(position, crossed_listeners_);
  if (gap) {
    // The lost records may have crossed any edge: signals all listeners.
    std::vector<RegistrationId> crossed = crossed_listeners_;
    std::sort(crossed.begin(), crossed.end());
    for (const LevelListener& listener : group.levels.listeners()) {
      if (listener.threshold != kBeyond &&
          !std::binary_search(crossed.begin(), crossed.end(), listener.id)) {
        crossed_listeners_.push_back(listener.id);
      }
    }
  }
  due_.insert(due_.end(), crossed_listeners_.begin(), crossed_listeners_.end());
}

void Engine::on_begin(const RowBegin& begin) {
  Group* group = group_of(begin.row);
  if (group == nullptr || !group->next || group->next_row != begin.row) {
    return;
  }
  const RowBegin settled = settle_begin(*group, begin);
  // The sides as the previous row left them: its last move has just been processed.
  group->next->keep_sides(group->levels);
  if (group->live) {
    rows_.erase(group->row);
  }
  group->levels = std::move(*group->next);
  group->levels.begin(settled.position);
  group->row = settled.row;
  group->live = true;
  group->next.reset();
  group->value = settled.value;
}

void Engine::on_removed(CgroupId cgroup, std::uint32_t signals) {
  const auto ends = [&](const LevelKey& key) {
    return key.cgroup == cgroup && (signals >> key.signal & 1U) != 0;
  };
  std::vector<RegistrationId> gone;
  for (const auto& [id, registration] : registrations_) {
    if (ends(registration.key) && !registration.is_removed) {
      gone.push_back(id);
    }
  }
  // Signals due from before come first.
  for (const RegistrationId id : gone) {
    events_->settle(id);
  }
  // One last signal, as in v1.
  due_.insert(due_.end(), gone.begin(), gone.end());
  deliver();
  counters_.removed += gone.size();
  for (const RegistrationId id : gone) {
    events_->end(id);
    end_once_paid(registrations_.find(id));
  }
  std::erase_if(groups_, [&](const auto& group) {
    if (!ends(group.first)) {
      return false;
    }
    take_down(group.first, group.second);
    return true;
  });
}

void Engine::drain_backend() {
  backend_->drain(*this);
  deliver();
}

void Engine::drain_backend_for_others() {
  const Duration before = clock_.thread_cpu();
  drain_backend();
  cpu_for_others_ += clock_.thread_cpu() - before;
}

Duration Engine::take_cpu_for_others() {
  const std::lock_guard lock(mutex_);
  return std::exchange(cpu_for_others_, {});
}

void Engine::drain() {
  const Turn turn(*this);
  // First, because listeners wait for it. The check for records needs no system call.
  away_.reset();
  const std::uint64_t told = counters_.deliveries;
  drain_backend();
  poll_for_crossing(told);
  // A handler may make another descriptor ready; descriptor() becomes ready again for later events.
  static_cast<void>(loop_.run_once(Duration{0}));
}

void Engine::on_approach(const RowApproach& approach) {
  // On the CPU of the approaching task it would block that task. A wake-up on that CPU needs no CPU
  // to leave its sleep.
  if (waiting_ == Waiting::kAwake && approach.cpu != ::sched_getcpu()) {
    away_ = approach.away;
  }
}

void Engine::poll_for_crossing(std::uint64_t told) {
  MonoTime now = clock_.now();
  // Not after a listener was signalled: it may need this CPU.
  while (counters_.deliveries == told && (away_ || stand_by_.lasts(now))) {
    if (away_) {  // another one prolongs it
      const bool first = !stand_by_.under_way();
      stand_by_.begin(now, *std::exchange(away_, std::nullopt));
      if (!stand_by_.under_way()) {
        break;
      }
      counters_.stand_bys += first ? 1 : 0;
      signaller_.rehearse();
    }
    drain_backend();
    now = clock_.now();
  }
  if (stand_by_.under_way()) {
    stand_by_.end(now);
  }
}

void Engine::arm_sweep() {
  if (registrations_.empty()) {
    timer_.disarm();
    return;
  }
  timer_.arm(sweeps_.recent.empty() ? sweeps_.next : std::min(sweeps_.recent_due, sweeps_.next));
}

std::vector<RegistrationId> Engine::take_ended() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ended_, {});
}

}  // namespace evictd::notify
