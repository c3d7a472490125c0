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

/// Registers eventfds for the crossings of thresholds and signals them: what the service serves and
/// what the library runs within a privileged agent.
/// Thread rule: any thread; one call at a time has the lock. descriptor() may be waited on by one
/// thread, which then calls drain().
class Engine final : private BackendSink, private EventSink {
 public:
  /// Whether drain() may look on without sleeping. It must not where there is one CPU, which
  /// whoever is about to pass an edge needs.
  enum class Waiting { kAsleep, kAwake };
  /// Errors: what making descriptors says.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> create(std::unique_ptr<Backend> backend,
                                                              const core::Clock& clock,
                                                              Waiting waiting = Waiting::kAsleep);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() override;

  /// Has `disposer` close the descriptors of requests that are refused and of registrations that
  /// end. Without one whoever calls does, the lock let go: where all are of this process itself.
  void leave_closing_to(std::shared_ptr<Disposer> disposer);

  /// As OomFiles::limit().
  void limit_oom_files(ShareLimits limits);

  /// Errors, in sys_errno: EINVAL (check_terms), EBADF, ENOTDIR, ENODEV, EOPNOTSUPP, ENOSPC;
  /// EDQUOT (TableShares, OomFiles), E2BIG (OomFiles).
  [[nodiscard]] Result<Listening> listen(ListenRequest request);
  /// Ends registrations without a word to their eventfds. Unknown ones are passed over; returns how
  /// many there were.
  std::size_t end(std::span<const RegistrationId> ids);
  [[nodiscard]] std::optional<Listening> look(RegistrationId id) const;

  /// Readable (EPOLLIN) when drain() has something to do.
  [[nodiscard]] int descriptor() const { return loop_.descriptor(); }
  /// Signals what is due, and ends what has lost its cgroup or its eventfd; of more than a turn can
  /// take (Backend::drain()) the rest keeps descriptor() readable. Sleeps for nothing; where an
  /// edge is about to be passed it looks on as core::StandBy allows, so that nobody has to be
  /// woken.
  void drain();
  /// Registrations that ended by themselves since the last call.
  [[nodiscard]] std::vector<RegistrationId> take_ended();

  [[nodiscard]] evictd_notify_backend backend() const { return backend_->kind(); }
  [[nodiscard]] std::string backend_name() const { return backend_->name(); }
  [[nodiscard]] std::uint32_t signals() const { return backend_->signals() | events_->signals(); }
  /// Where PRESSURE comes from, or why it does not.
  [[nodiscard]] const EventSources& events() const { return *events_; }
  [[nodiscard]] EngineCounters counters() const;
  /// CPU time that listen() and end() have spent since the last call on what others were due.
  [[nodiscard]] Duration take_cpu_for_others();
  /// By which it goes.
  [[nodiscard]] const core::Clock& clock() const { return clock_; }
  /// Registrations that there are, by evictd_notify_signal. Looks at each one.
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
  /// The same for a request, which does not pay for it (take_cpu_for_others()).
  void drain_beside();
  /// Where the backend's ring was full, maybe.
  void make_room();
  void sweep();
  /// Whose eventfds it is time to look at, each once.
  [[nodiscard]] std::vector<RegistrationId> due_for_sweep(MonoTime now);
  /// Takes what the backend sees until there is more than `told` of it or the time is up.
  void look_on(std::uint64_t told);
  /// Leaves in `request` what it has not taken.
  [[nodiscard]] Result<Listening> listen_locked(ListenRequest& request, std::uint64_t eventfd_id);
  [[nodiscard]] Result<Listening> listen_to_level(RegistrationId id, Registration registration,
                                                  base::Fd directory);
  /// Has the group's value watched for `listeners` from now on. Errors: as Backend::watch().
  [[nodiscard]] Result<> rebuild(const LevelKey& key, std::vector<LevelListener> listeners);
  [[nodiscard]] Result<> wait_for_begin(const LevelKey& key);
  [[nodiscard]] Result<Listening> listen_to_event(RegistrationId id, Registration registration,
                                                  base::Fd directory);
  void arm_sweep();
  void end_locked(std::span<const RegistrationId> ids);
  /// Has `descriptor` closed after this turn.
  void release(uid_t owner, base::Fd descriptor);
  void forget(Registrations::iterator registration);
  void end_once_paid(Registrations::iterator registration);
  /// Has the group go on without who is no longer registered.
  void leave(const LevelKey& key);
  [[nodiscard]] std::vector<LevelListener> who_listens(const Group& group) const;
  /// Ends the group's rows.
  void take_down(const LevelKey& key, const Group& group);
  [[nodiscard]] Group* group_of(RowId row);
  /// The group's value has moved, and with `gap` maybe more than once.
  void advance(Group& group, std::uint32_t position, bool gap);
  /// Has the group's files decide where the backend is behind. Errors: as LevelFiles::open().
  [[nodiscard]] Result<> open_files(const LevelKey& key, Group& group, RowId row);
  void follow_hint(Group& group, const RowMove& move);
  void read_files(Group& group, bool gap);
  [[nodiscard]] RowBegin settle_begin(Group& group, RowBegin begin);
  [[nodiscard]] Result<LevelReading> read_level(Group& group);
  /// Reads files of some groups, of all one after the other.
  void read_some();
  /// Of those in `groups`, in the order of their keys, if it is time.
  void read_turn(ReadingLane& lane, GroupList& groups);
  void arm_reading(MonoTime when);
  void deliver();
  void signal_given();
  void pay_owed();
  void note_recent(Registration& registration);
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
  /// What the last drain of the backend said of an edge.
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
  /// For the next deliver(), in order.
  std::vector<RegistrationId> due_;
  std::vector<RegistrationId> told_;
  std::vector<Registration*> given_;
  std::vector<int> eventfds_;
  Sweeps sweeps_;
  std::vector<RegistrationId> ended_;
  std::shared_ptr<Disposer> disposer_;
  /// To be closed after this turn; of directories closes_at_once() is known.
  std::map<uid_t, std::vector<base::Fd>> released_;
  EngineCounters counters_;
  Duration cpu_for_others_{};
};

}  // namespace evictd::notify
