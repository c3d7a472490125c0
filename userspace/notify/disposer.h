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

/// Closes descriptors that clients passed, and sockets that may still contain some.
///
/// close() may call into the file's filesystem, which may be the client's own FUSE and hang. The
/// last close of a file that can be in an epoll set, such as an eventfd, also waits for the set's
/// lock, which the client can hold through such a filesystem. So close() may block for as long as
/// the client likes.
/// Descriptors that may block are therefore closed by threads that no caller waits for. There are
/// few, because tasks are limited, and never two for one user. A user who hangs a thread thus
/// delays only itself, while fewer users do so than there are threads. A hanging thread ends when
/// its filesystem ends. Until then the process cannot exit completely, but it keeps serving, and at
/// its exit it closes everything else.
class Disposer {
 public:
  /// The origin of a descriptor.
  enum class Kind {
    kMessage,       ///< Came with a message and was not used; has_room() limits their number.
    kRegistration,  ///< Of a registration that has ended; the caller limits their number.
    kConnection,    ///< A socket that may contain descriptors; the caller limits their number.
  };
  static constexpr std::size_t kKinds = 3;

  /// Most pending descriptors of Kind::kMessage of one user.
  static constexpr std::size_t kMostPending = 64;
  /// The same for all users together. One user may use at most 1/kShares of what is left, so that
  /// some users cannot leave others without any.
  static constexpr std::size_t kMostPendingOfAll = 768;
  static constexpr std::size_t kShares = 8;
  /// Threads that close descriptors. The units' TasksMax includes them.
  static constexpr std::size_t kMostThreads = 4;

  /// Signals `closed`, if set, each time a descriptor of Kind::kConnection is closed.
  explicit Disposer(std::shared_ptr<const base::WakeUp> closed = nullptr);

  /// Whether messages of `uid` may bring more descriptors. If not, leave them in their socket.
  [[nodiscard]] bool has_room(uid_t uid) const;
  /// Closes the descriptors that cannot block (closes_at_once()) at once; a thread closes the
  /// others. Also starts threads that could not be started before, even if `descriptors` is empty.
  /// Starting a thread costs 30 us.
  void dispose(uid_t uid, std::vector<base::Fd> descriptors, Kind kind = Kind::kMessage);
  /// Descriptors not closed yet: all, of a kind, of a kind and user.
  [[nodiscard]] std::size_t pending() const;
  [[nodiscard]] std::size_t pending(Kind kind) const;
  [[nodiscard]] std::size_t pending(Kind kind, uid_t uid) const;
  [[nodiscard]] std::size_t threads() const;

 private:
  struct Item {
    base::Fd descriptor;
    Kind kind = Kind::kMessage;
  };
  /// Counts by kind, including descriptors that a thread is closing.
  struct Counts {
    [[nodiscard]] std::size_t all() const;
    [[nodiscard]] std::size_t& of(Kind kind) { return by_kind.at(static_cast<std::size_t>(kind)); }
    [[nodiscard]] std::size_t of(Kind kind) const {
      return by_kind.at(static_cast<std::size_t>(kind));
    }

    std::array<std::size_t, kKinds> by_kind{};
  };
  /// Pending descriptors of one user.
  struct Queue {
    std::deque<Item> waiting;
    /// A thread works on this queue, and may hold one more descriptor.
    bool claimed = false;
    Counts counts;
  };
  struct Pending {
    /// The service's thread may have real-time priority; the closing threads do not.
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

  /// Claims the next user after `last` that no thread works on. Requires the lock.
  static std::optional<uid_t> claim(Pending& pending, uid_t last);
  static void* work(void* start);
  /// Closes the next descriptor of `uid`, which the caller has claimed. Releases `lock` meanwhile.
  static void close_next(Pending& pending, uid_t uid, std::unique_lock<base::PriorityMutex>& lock);
  static bool start_thread(std::unique_ptr<Start> start);
  /// Starts threads for waiting users, as far as limits and the system allow. Requires the lock.
  void start_threads();

  /// Outlives this object if a thread hangs.
  std::shared_ptr<Pending> pending_ = std::make_shared<Pending>();
};

}  // namespace evictd::notify
