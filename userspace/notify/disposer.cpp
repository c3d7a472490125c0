// SPDX-License-Identifier: Apache-2.0
#include "notify/disposer.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <csignal>
#include <numeric>
#include <utility>

#include "notify/descriptors.h"

namespace evictd::notify {
namespace {

/// Enough for a close(), and for sanitizers.
constexpr std::size_t kStackBytes = std::size_t{256} * 1024;

/// Detached, with ordinary priority whatever the creating thread has.
class Attributes {
 public:
  Attributes() {
    const sched_param ordinary{};
    usable_ = ::pthread_attr_init(&attributes_) == 0;
    usable_ = usable_ &&
              ::pthread_attr_setdetachstate(&attributes_, PTHREAD_CREATE_DETACHED) == 0 &&
              ::pthread_attr_setinheritsched(&attributes_, PTHREAD_EXPLICIT_SCHED) == 0 &&
              ::pthread_attr_setschedpolicy(&attributes_, SCHED_OTHER) == 0 &&
              ::pthread_attr_setschedparam(&attributes_, &ordinary) == 0 &&
              ::pthread_attr_setstacksize(&attributes_, kStackBytes) == 0;
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { ::pthread_attr_destroy(&attributes_); }

  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] const pthread_attr_t* get() const { return &attributes_; }

 private:
  pthread_attr_t attributes_{};
  bool usable_ = false;
};

}  // namespace

std::size_t Disposer::Counts::all() const {
  return std::accumulate(by_kind.begin(), by_kind.end(), std::size_t{0});
}

Disposer::Disposer(std::shared_ptr<const base::WakeUp> closed) {
  pending_->closed = std::move(closed);
}

bool Disposer::has_room(uid_t uid) const {
  const std::size_t own = pending(Kind::kMessage, uid);
  const std::size_t left = kMostPendingOfAll - std::min(kMostPendingOfAll, pending(Kind::kMessage));
  return own < std::min(kMostPending, left / kShares);
}

std::size_t Disposer::pending() const {
  const std::scoped_lock lock(pending_->mutex);
  return pending_->counts.all();
}

std::size_t Disposer::pending(Kind kind) const {
  const std::scoped_lock lock(pending_->mutex);
  return pending_->counts.of(kind);
}

std::size_t Disposer::pending(Kind kind, uid_t uid) const {
  const std::scoped_lock lock(pending_->mutex);
  const auto found = pending_->queues.find(uid);
  return found == pending_->queues.end() ? 0 : found->second.counts.of(kind);
}

std::size_t Disposer::threads() const {
  const std::scoped_lock lock(pending_->mutex);
  return pending_->threads;
}

void Disposer::dispose(uid_t uid, std::vector<base::Fd> descriptors, Kind kind) {
  // Other kinds are rarely safe to close at once, and the check costs as much as a close.
  const bool look = kind == Kind::kMessage;
  std::erase_if(descriptors,
                [&](const base::Fd& fd) { return !fd || (look && closes_at_once(fd.get())); });
  const std::scoped_lock lock(pending_->mutex);
  if (!descriptors.empty()) {
    Queue& queue = pending_->queues[uid];
    queue.counts.of(kind) += descriptors.size();
    pending_->counts.of(kind) += descriptors.size();
    for (base::Fd& fd : descriptors) {
      queue.waiting.push_back({.descriptor = std::move(fd), .kind = kind});
    }
  }
  start_threads();
}

std::optional<uid_t> Disposer::claim(Pending& pending, uid_t last) {
  const auto waits = [](const auto& entry) {
    return !entry.second.claimed && !entry.second.waiting.empty();
  };
  const auto begin = pending.queues.upper_bound(last);
  auto found = std::find_if(begin, pending.queues.end(), waits);
  if (found == pending.queues.end()) {
    found = std::find_if(pending.queues.begin(), begin, waits);
    if (found == begin) {
      return std::nullopt;
    }
  }
  found->second.claimed = true;
  return found->first;
}

void Disposer::start_threads() {
  while (pending_->threads < kMostThreads) {
    const std::optional<uid_t> uid = claim(*pending_, 0);
    if (!uid) {
      return;
    }
    // The thread waits for the lock, so it is counted in time.
    if (!start_thread(std::make_unique<Start>(Start{.pending = pending_, .uid = *uid}))) {
      pending_->queues[*uid].claimed = false;
      return;
    }
    ++pending_->threads;
  }
}

bool Disposer::start_thread(std::unique_ptr<Start> start) {
  const Attributes attributes;
  sigset_t all{};
  sigset_t before{};
  ::sigfillset(&all);
  // Other threads handle signals.
  if (!attributes.usable() || ::pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
    return false;
  }
  pthread_t thread{};
  const bool started =
      ::pthread_create(&thread, attributes.get(), &Disposer::work, start.get()) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) {
    static_cast<void>(start.release());
  }
  return started;
}

void Disposer::close_next(Pending& pending, uid_t uid,
                          std::unique_lock<base::PriorityMutex>& lock) {
  Queue& queue = pending.queues[uid];
  Item next = std::move(queue.waiting.front());
  queue.waiting.pop_front();
  lock.unlock();
  next.descriptor.reset();
  lock.lock();
  --pending.counts.of(next.kind);
  --queue.counts.of(next.kind);
  queue.claimed = false;
  if (queue.counts.all() == 0) {
    pending.queues.erase(uid);
  }
  if (next.kind == Kind::kConnection && pending.closed) {
    pending.closed->signal();
  }
}

void* Disposer::work(void* start) {
  const std::unique_ptr<Start> own(static_cast<Start*>(start));
  Pending& pending = *own->pending;
  std::unique_lock lock(pending.mutex);
  // Users take turns, one descriptor each.
  for (std::optional<uid_t> uid = own->uid; uid; uid = claim(pending, *uid)) {
    close_next(pending, *uid, lock);
  }
  --pending.threads;
  return nullptr;
}

}  // namespace evictd::notify
