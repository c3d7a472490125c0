// SPDX-License-Identifier: Apache-2.0
// Ends registrations and reports the end.
#include <algorithm>
#include <set>
#include <utility>

#include "notify/descriptors.h"
#include "notify/engine.h"
#include "notify/engine_turn.h"

namespace evictd::notify {

void Engine::set_disposer(std::shared_ptr<Disposer> disposer) {
  const std::lock_guard lock(mutex_);
  disposer_ = std::move(disposer);
}

void Engine::release(uid_t owner, base::Fd descriptor) {
  if (descriptor) {
    released_[owner].push_back(std::move(descriptor));
  }
}

void Engine::end_once_paid(Registrations::iterator registration) {
  registration->second.is_removed = registration->second.owed != 0;
  if (!registration->second.is_removed) {
    ended_.push_back(registration->first);
    forget(registration);
  }
}

void Engine::forget(Registrations::iterator registration) {
  deliveries_.leave(registration->second);
  shares_.remove(registration->second);
  release(registration->second.owner, std::move(registration->second.eventfd));
  registrations_.erase(registration);
}

std::size_t Engine::end(std::span<const RegistrationId> ids) {
  const Turn turn(*this);
  const std::size_t before = registrations_.size();
  end_locked(ids);
  return before - registrations_.size();
}

void Engine::end_locked(std::span<const RegistrationId> ids) {
  std::set<LevelKey> left;
  for (const RegistrationId id : ids) {
    if (const auto found = registrations_.find(id); found != registrations_.end()) {
      left.insert(found->second.key);
      events_->end(id);
      forget(found);
    }
  }
  for (const LevelKey& key : left) {
    leave(key);
  }
}

std::vector<LevelListener> Engine::current_listeners(const Group& group) const {
  std::vector<LevelListener> listeners = group.levels.listeners();
  std::erase_if(listeners, [&](const LevelListener& listener) {
    return !registrations_.contains(listener.id);
  });
  return listeners;
}

void Engine::take_down(const LevelKey& key, const Group& group) {
  for (const RowId row : {group.row, group.next_row}) {
    if (const auto known = rows_.find(row); known != rows_.end() && known->second == key) {
      backend_->unwatch(row);
      rows_.erase(known);
    }
  }
}

void Engine::leave(const LevelKey& key) {
  const auto found = groups_.find(key);
  if (found == groups_.end()) {
    return;
  }
  std::vector<LevelListener> left = current_listeners(found->second);
  if (left.empty()) {
    take_down(key, found->second);
    groups_.erase(found);
    return;
  }
  // If that fails, the row keeps a surplus edge until the next listener comes or ends; no listener
  // is signalled for it.
  static_cast<void>(rebuild(key, std::move(left)));
}

bool Engine::eventfd_is_open(const Registration& registration) const {
  if (registration.number < 0) {
    return true;
  }
  const EventfdIdentity look = eventfd_of(registration.pid, registration.number);
  return look.problem != 0 || look.id == registration.eventfd_id;
}

std::vector<RegistrationId> Engine::due_for_sweep(MonoTime now) {
  std::vector<RegistrationId> due;
  if (now >= sweeps_.recent_due) {
    due = std::exchange(sweeps_.recent, {});
    for (const RegistrationId id : due) {
      if (const auto found = registrations_.find(id); found != registrations_.end()) {
        found->second.recent = false;
      }
    }
  }
  if (now >= sweeps_.next) {
    sweeps_.next = now + Sweeps::pause(registrations_.size());
    auto next = registrations_.upper_bound(sweeps_.last);
    for (std::size_t i = 0; i < Sweeps::kTurn && next != registrations_.end(); ++i, ++next) {
      sweeps_.last = next->first;
      due.push_back(next->first);
    }
    sweeps_.last = next == registrations_.end() ? 0 : sweeps_.last;
  }
  std::sort(due.begin(), due.end());
  due.erase(std::unique(due.begin(), due.end()), due.end());
  return due;
}

void Engine::sweep() {
  timer_.consume();
  std::vector<RegistrationId> closed;
  for (const RegistrationId id : due_for_sweep(clock_.now())) {
    const auto found = registrations_.find(id);
    if (found != registrations_.end() && !eventfd_is_open(found->second)) {
      closed.push_back(id);
    }
  }
  counters_.closed += closed.size();
  ended_.insert(ended_.end(), closed.begin(), closed.end());
  end_locked(closed);
  arm_sweep();
}

Listening Engine::describe(RegistrationId id, const Registration& registration) const {
  Listening listening{.id = id,
                      .cgroup = registration.key.cgroup,
                      .terms = registration.terms,
                      .deliveries = registration.deliveries};
  if (!has_value(registration.terms.signal)) {
    return listening;
  }
  const auto group = groups_.find(registration.key);
  if (group == groups_.end()) {
    return listening;
  }
  if (const LevelListener* listener = group->second.levels.find(id)) {
    listening.side = listener->above ? EVICTD_NOTIFY_ABOVE : EVICTD_NOTIFY_BELOW;
  }
  listening.value = group->second.value;
  return listening;
}

std::optional<Listening> Engine::query(RegistrationId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = registrations_.find(id);
  if (found == registrations_.end()) {
    return std::nullopt;
  }
  Listening listening = describe(id, found->second);
  const auto group = groups_.find(found->second.key);
  // If files are read, the side belongs to their value.
  if (has_value(listening.terms.signal) && group != groups_.end() && group->second.live &&
      !group->second.files) {
    listening.value = backend_->value(group->second.row);
  }
  return listening;
}

std::array<std::size_t, EVICTD_NOTIFY_SIGNALS> Engine::registrations_by_signal() const {
  const std::lock_guard lock(mutex_);
  std::array<std::size_t, EVICTD_NOTIFY_SIGNALS> count{};
  for (const auto& [id, registration] : registrations_) {
    ++count.at(registration.terms.signal);
  }
  return count;
}

EngineCounters Engine::counters() const {
  const std::lock_guard lock(mutex_);
  EngineCounters now = counters_;
  now.registrations = registrations_.size();
  now.owed = deliveries_.owed();
  now.backend = backend_->counters();
  return now;
}

}  // namespace evictd::notify
