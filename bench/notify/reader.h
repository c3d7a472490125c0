// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/fd.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::bench {

/// A thread that blocks in read(2) of its eventfd and stamps each return.
class Reader {
 public:
  /// Runs at ordinary priority, or as SCHED_FIFO if `realtime`. Errors: those of eventfd(2), of the
  /// thread and of sched_setscheduler(2).
  static Result<std::unique_ptr<Reader>> start(bool realtime);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();

  [[nodiscard]] int eventfd() const { return eventfd_.get(); }
  /// Forgets earlier wakes.
  void forget();
  /// The first return of read(2) since forget(); nullopt if it takes longer than `timeout`.
  [[nodiscard]] std::optional<MonoTime> first(Duration timeout);

 private:
  explicit Reader(base::Fd eventfd) : eventfd_(std::move(eventfd)) {}
  void run();

  base::Fd eventfd_;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::optional<MonoTime> first_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace evictd::bench
