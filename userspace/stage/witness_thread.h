// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "evictd/time.h"

namespace evictd::stage {

/// A thread that only observes, in a loop, so that evidence about a hog does not come from evictd.
/// `Seen` is its observation; its `freed` is a std::optional<MonoTime>.
template <typename Seen>
class WitnessThread {
 public:
  /// Adds one observation to `seen`. May set `freed` only if `hog_is_dead`.
  using Look = std::function<void(Seen& seen, bool hog_is_dead)>;

  /// Starts observing, with `pause` after each observation.
  WitnessThread(std::chrono::nanoseconds pause, Seen at_start, Look look)
      : shared_(std::make_shared<Shared>(pause, std::move(at_start), std::move(look))),
        thread_([shared = shared_](const std::stop_token& stop) { shared->watch(stop); }) {}

  /// From now on the hog's memory or disk space can be observed as freed.
  void hog_is_dead() {
    const std::lock_guard lock{shared_->mutex};
    shared_->dead = true;
  }
  /// Waits until it is freed, at most `patience`, and stops observing.
  Seen finish(Duration patience) {
    std::unique_lock lock{shared_->mutex};
    shared_->freed.wait_for(lock, patience, [this] { return shared_->seen.freed.has_value(); });
    const Seen seen = shared_->seen;
    lock.unlock();
    thread_.request_stop();
    thread_.join();
    return seen;
  }

 private:
  /// Shared with the thread, which may outlive a moved-from object.
  struct Shared {
    Shared(std::chrono::nanoseconds pause_length, Seen at_start, Look one_look)
        : pause(pause_length), seen(std::move(at_start)), look(std::move(one_look)) {}

    void watch(const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        {
          const std::lock_guard lock{mutex};
          look(seen, dead);
          if (seen.freed) {
            freed.notify_all();
          }
        }
        const timespec length{0, static_cast<long>(pause.count())};
        ::nanosleep(&length, nullptr);
      }
    }

    std::chrono::nanoseconds pause;
    std::mutex mutex;
    std::condition_variable freed;
    Seen seen;
    Look look;
    bool dead = false;
  };

  std::shared_ptr<Shared> shared_;
  std::jthread thread_;
};

}  // namespace evictd::stage
