// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/fd.h"
#include "base/member_handler.h"
#include "base/timer.h"
#include "core/clock.h"
#include "core/stand_by.h"
#include "evictd/result.h"
#include "notify/backend.h"
#include "notify/deliveries.h"
#include "notify/disposer.h"
#include "notify/event_sources.h"
#include "notify/eventfd_signaller.h"
#include "notify/group.h"
#include "notify/level_file.h"
#include "notify/levels.h"
#include "notify/reading_pace.h"
#include "notify/registration.h"
#include "notify/sweeps.h"
#include "notify/table_shares.h"

namespace evictd::notify {

/// Registers eventfds for crossings of thresholds and signals them. Used by the service, and by the
/// library inside a privileged agent.
/// Thread rule: any thread; a mutex serializes calls. One thread may wait on descriptor() and then
/// call drain().
class Engine final : private BackendSink, private EventSink {
 public:
  /// Whether drain() may poll without sleeping. Not on a machine with one CPU: the task about to
  /// cross an edge needs it.
  enum class Waiting { kAsleep, kAwake };
  /// Errors: those of creating descriptors.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(std::unique_ptr<Backend> backend,
                                                              const core::Clock& clock,
                                                              Waiting waiting = Waiting::kAsleep);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() override;

  /// Lets `disposer` close the descriptors of refused requests and ended registrations. Without one
  /// the calling thread closes them after it has released the lock; use that only if all
  /// descriptors are of this process.
  void set_disposer(std::shared_ptr<Disposer> disposer);

  /// As OomFiles::limit().
  void limit_oom_files(ShareLimits limits);

  /// Errors, in sys_errno: EINVAL (check_terms), EBADF, ENOTDIR, ENODEV, EOPNOTSUPP, ENOSPC; EDQUOT
  /// (TableShares, OomFiles), E2BIG (OomFiles).
  [[nodiscard]] Result<Listening> listen(ListenRequest request);
  /// Ends registrations without signalling their eventfds. Ignores unknown ids; returns the number
  /// of registrations ended.
  std::size_t end(std::span<const RegistrationId> ids);
  [[nodiscard]] std::optional<Listening> query(RegistrationId id) const;

  /// Readable (EPOLLIN) when drain() has something to do.
  [[nodiscard]] int descriptor() const { return loop_.descriptor(); }
  /// Signals what is due, and ends registrations whose cgroup was removed or whose eventfd was
  /// closed. Work beyond one turn (Backend::drain()) keeps descriptor() readable. Never sleeps. If
  /// an edge is about to be crossed, it polls as long as core::StandBy allows, to save a wake-up.
  void drain();
  /// Registrations that ended by themselves since the last call.
  [[nodiscard]] std::vector<RegistrationId> take_ended();

  [[nodiscard]] evictd_notify_backend backend() const { return backend_->kind(); }
  [[nodiscard]] std::string backend_name() const { return backend_->name(); }
  [[nodiscard]] std::uint32_t signals() const { return backend_->signals() | events_->signals(); }
  /// The source of PRESSURE, or the reason why there is none.
  [[nodiscard]] const EventSources& events() const { return *events_; }
  [[nodiscard]] EngineCounters counters() const;
  /// CPU time that listen() and end() spent since the last call on signals for others.
  [[nodiscard]] Duration take_cpu_for_others();
  /// The clock that the engine uses.
  [[nodiscard]] const core::Clock& clock() const { return clock_; }
  /// Number of registrations by evictd_notify_signal. Cost: iterates over all registrations.
  [[nodiscard]] std::array<std::size_t, EVICTD_NOTIFY_SIGNALS> registrations_by_signal() const;

 private:
  using Groups = std::map<LevelKey, Group>;
  using GroupList = std::vector<Groups::value_type*>;
  using Registrations = std::map<RegistrationId, Registration>;
  class Turn;
  using Ready = base::MemberHandler<Engine>;

  Engine(std::unique_ptr<Backend> backend, const core::Clock& clock, base::EventLoop loop,
         std::array<base::Timer, 3> timers, EventfdSignaller signaller, Waiting waiting);

  void on_move(const RowMove& move) override;
  void on_begin(const RowBegin& begin) override;
  void on_removed(CgroupId cgroup, std::uint32_t signals) override;
  void on_approach(const RowApproach& approach) override;
  [[nodiscard]] bool has_enough() const override { return due_.size() >= Deliveries::kTurn; }
  void on_events(std::span<const RegistrationId> ids) override;

  void drain_backend();
  /// As drain_backend(), on behalf of a request, which does not pay for it (take_cpu_for_others()).
  void drain_backend_for_others();
  /// Reads records when the backend's ring may have been full.
  void drain_until_empty();
  void sweep();
  /// Registrations whose eventfds are due for a check, each once.
  [[nodiscard]] std::vector<RegistrationId> due_for_sweep(MonoTime now);
  /// Reads what the backend reports until more than `told` signals are due or the time is up.
  void poll_for_crossing(std::uint64_t told);
  /// Leaves in `request` what it has not taken over.
  [[nodiscard]] Result<Listening> listen_locked(ListenRequest& request, std::uint64_t eventfd_id);
  [[nodiscard]] Result<Listening> listen_to_level(RegistrationId id, Registration registration,
                                                  base::Fd directory);
  /// Has the backend watch the group's value for `listeners` from now on. Errors: as
  /// Backend::watch().
  [[nodiscard]] Result<> rebuild(const LevelKey& key, std::vector<LevelListener> listeners);
  [[nodiscard]] Result<> wait_for_begin(const LevelKey& key);
  [[nodiscard]] Result<Listening> listen_to_event(RegistrationId id, Registration registration,
                                                  base::Fd directory);
  void arm_sweep();
  void end_locked(std::span<const RegistrationId> ids);
  /// Schedules `descriptor` to be closed after this turn.
  void release(uid_t owner, base::Fd descriptor);
  void forget(Registrations::iterator registration);
  void end_once_paid(Registrations::iterator registration);
  /// Removes listeners that are no longer registered from the group.
  void leave(const LevelKey& key);
  [[nodiscard]] std::vector<LevelListener> current_listeners(const Group& group) const;
  /// Ends the group's rows.
  void take_down(const LevelKey& key, const Group& group);
  [[nodiscard]] Group* group_of(RowId row);
  /// The group's value has moved; with `gap` possibly more than once.
  void advance(Group& group, std::uint32_t position, bool gap);
  /// Lets the group's files decide where the backend lags behind. Errors: as LevelFiles::open().
  [[nodiscard]] Result<> open_files(const LevelKey& key, Group& group, RowId row);
  void read_files_on_hint(Group& group, const RowMove& move);
  void read_files(Group& group, bool gap);
  [[nodiscard]] RowBegin settle_begin(Group& group, RowBegin begin);
  [[nodiscard]] Result<LevelReading> read_level(Group& group);
  /// Reads the files of some groups; successive calls cycle through all.
  void read_some();
  /// Reads some of `groups`, in the order of their keys, if it is time.
  void read_turn(ReadingLane& lane, GroupList& groups);
  void arm_reading(MonoTime when);
  void deliver();
  void signal_given();
  void pay_owed();
  void schedule_soon_check(Registration& registration);
  [[nodiscard]] bool eventfd_is_open(const Registration& registration) const;
  [[nodiscard]] Listening describe(RegistrationId id, const Registration& registration) const;

  mutable std::mutex mutex_;
  std::unique_ptr<Backend> backend_;
  const core::Clock& clock_;
  base::EventLoop loop_;
  base::Timer timer_;
  base::Timer reading_timer_;
  base::Timer paying_timer_;
  EventfdSignaller signaller_;
  Waiting waiting_;
  core::StandBy stand_by_;
  /// Distance to an edge, as the last drain of the backend reported it.
  std::optional<Duration> away_;
  Ready backend_ready_{*this, &Engine::drain_backend};
  Ready timer_ready_{*this, &Engine::sweep};
  Ready reading_ready_{*this, &Engine::read_some};
  Ready paying_ready_{*this, &Engine::pay_owed};
  Readings readings_;
  std::unique_ptr<EventSources> events_;
  Deliveries deliveries_;
  Registrations registrations_;
  TableShares shares_;
  Groups groups_;
  std::map<RowId, LevelKey> rows_;
  RegistrationId last_id_ = 0;
  /// Registrations that the next deliver() signals, in order.
  std::vector<RegistrationId> due_;
  std::vector<RegistrationId> crossed_listeners_;
  std::vector<Registration*> given_;
  std::vector<int> eventfds_;
  Sweeps sweeps_;
  std::vector<RegistrationId> ended_;
  std::shared_ptr<Disposer> disposer_;
  /// Descriptors to close after this turn. For directories closes_at_once() is known to hold.
  std::map<uid_t, std::vector<base::Fd>> released_;
  EngineCounters counters_;
  Duration cpu_for_others_{};
};

}  // namespace evictd::notify
