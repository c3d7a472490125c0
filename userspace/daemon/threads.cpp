// SPDX-License-Identifier: Apache-2.0
#include "daemon/threads.h"

#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <future>
#include <string>
#include <thread>
#include <utility>

#include "daemon/hot/hot_loop.h"
#include "daemon/housekeeping.h"
#include "evictd/try.h"
#include "sys/scheduling.h"
#include "sys/thread_name.h"

namespace evictd::daemon {

namespace {

/// Maximum number of waiting messages: more than a full node produces at once.
constexpr std::size_t kMostToHot = 2 * kMaxPods;
/// A burst of some hundred pods that come or go; with more, discovery scans. All of it is resident.
constexpr std::size_t kMostToHousekeeping = 1024;

}  // namespace

Threads::Threads(base::WakeUp to_hot_wake, base::WakeUp to_house_wake)
    : to_hot(kMostToHot, std::move(to_hot_wake)),
      to_house(kMostToHousekeeping, std::move(to_house_wake)) {
  // Memory is locked when first touched: else the hot thread would do that page by page while it
  // evicts. Housekeeping is the first to touch what it sends the other way.
  to_house.queue.populate();
}

Result<std::unique_ptr<Threads>> Threads::create() {
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp to_hot, base::WakeUp::create());
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp to_house, base::WakeUp::create());
  return std::make_unique<Threads>(std::move(to_hot), std::move(to_house));
}

Result<> run_threads(HotLoop& hot, Housekeeping& house, Threads& threads,
                     const config::RealtimeSettings& realtime, base::Log& log) {
  Result<> hot_ended;
  std::promise<Result<>> started;
  std::future<Result<>> priority = started.get_future();
  std::thread thread([&] {
    sys::name_thread("evictd-hot");
    // Also helps where real-time priority is refused or lost.
    static_cast<void>(sys::ask_for_short_slices());
    started.set_value(threads.priority.take(realtime));
    hot_ended = hot.run(threads.stop);
    if (!hot_ended) {
      // Without its hot thread the daemon is useless: housekeeping ends, and the service with it.
      kill(getpid(), SIGTERM);
    }
  });
  const Result<> got = priority.get();
  if (!got) {
    log.warn(got.error().message() +
             ", continuing without real-time priority: other load on this "
             "node may delay evictions by milliseconds");
  }
  log.info("started", {{"realtime", threads.priority.in_force().load()}});
  Result<> ended = house.run();
  threads.stop.store(true, std::memory_order_release);
  threads.to_hot.wake_up.signal();
  thread.join();
  return ended ? hot_ended : ended;
}

}  // namespace evictd::daemon
