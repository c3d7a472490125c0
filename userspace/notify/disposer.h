// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/fd.h"
#include "base/priority_mutex.h"
#include "base/timer.h"

namespace evictd::notify {

/// Closes descriptors that others have passed, and the sockets that some are still in.
///
/// A close() may ask the file's filesystem, and that may be the passer's own (FUSE), which does not
/// answer; and the end of any file that can be in an epoll set, an eventfd too, waits for the lock
/// of the set, which the passer can have held by such a filesystem. Whoever closes waits for as
/// long as the passer likes. So what may do that is closed by
/// threads that nobody waits for: a few, because tasks are limited, and never two for one user, so
/// that who hangs delays nobody but itself while there are fewer of its kind than threads. One that
/// hangs ends with its filesystem; the process cannot end wholly before, but it serves on, and at
/// its own end all that it closes itself is closed.
class Disposer {
 public:
  /// What a descriptor was before.
  enum class Kind {
    kMessage,       ///< Came with a message and was not taken: as many as has_room() allows.
    kRegistration,  ///< Of a registration that has ended; as many as the caller allows.
    kConnection,    ///< A socket that descriptors are in, maybe; as many as the caller allows.
  };
  static constexpr std::size_t kKinds = 3;

  /// Of Kind::kMessage, descriptors that may wait for their end, of one user
  static constexpr std::size_t kMostPending = 64;
  /// and of all together; one user has at most one of kShares of what is left of it, so that some
  /// cannot leave others without any.
  static constexpr std::size_t kMostPendingOfAll = 768;
  static constexpr std::size_t kShares = 8;
  /// Threads that close. The units' TasksMax counts them.
  static constexpr std::size_t kMostThreads = 4;

  /// `closed`, if any, is signalled each time that one of Kind::kConnection is closed.
  explicit Disposer(std::shared_ptr<const base::WakeUp> closed = nullptr);

  /// Whether messages of `uid` may bring more: else they are to be left in their socket.
  [[nodiscard]] bool has_room(uid_t uid) const;
  /// Closes at once what of a message keeps nobody waiting (closes_at_once()); the rest waits for a
  /// thread. Who waited for want of threads is tried again, also where there are no descriptors. A
  /// thread costs 30 us to start.
  void dispose(uid_t uid, std::vector<base::Fd> descriptors, Kind kind = Kind::kMessage);
  /// Descriptors that are not closed yet: all, those of a kind, those of a kind and a user.
  [[nodiscard]] std::size_t pending() const;
  [[nodiscard]] std::size_t pending(Kind kind) const;
  [[nodiscard]] std::size_t pending(Kind kind, uid_t uid) const;
  [[nodiscard]] std::size_t threads() const;

 private:
  struct Item {
    base::Fd descriptor;
    Kind kind = Kind::kMessage;
  };
  /// By kind, those that a thread is closing included.
  struct Counts {
    [[nodiscard]] std::size_t all() const;
    [[nodiscard]] std::size_t& of(Kind kind) { return by_kind.at(static_cast<std::size_t>(kind)); }
    [[nodiscard]] std::size_t of(Kind kind) const {
      return by_kind.at(static_cast<std::size_t>(kind));
    }

    std::array<std::size_t, kKinds> by_kind{};
  };
  /// Of one user who has something in it.
  struct Queue {
    std::deque<Item> waiting;
    /// A thread has it, and with it perhaps one descriptor more.
    bool claimed = false;
    Counts counts;
  };
  struct Pending {
    /// The service's thread may be real-time, those that close are not.
    mutable base::PriorityMutex mutex;
    std::map<uid_t, Queue> queues;
    Counts counts;
    std::size_t threads = 0;
    std::shared_ptr<const base::WakeUp> closed;
  };
  struct Start {
    std::shared_ptr<Pending> pending;
    uid_t uid = 0;
  };

  /// The next user after `last` whom no thread has, for the caller now. Locked.
  static std::optional<uid_t> claim(Pending& pending, uid_t last);
  static void* work(void* start);
  /// Closes the next of `uid`, which the caller has claimed, with `lock` let go meanwhile.
  static void close_next(Pending& pending, uid_t uid, std::unique_lock<base::PriorityMutex>& lock);
  static bool start_thread(std::unique_ptr<Start> start);
  /// For all that wait, as far as there may be and can be any. Locked.
  void start_threads();

  /// Outlives this where a thread hangs.
  std::shared_ptr<Pending> pending_ = std::make_shared<Pending>();
};

}  // namespace evictd::notify
