// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/event_loop.h"
#include "base/log.h"
#include "base/timer.h"
#include "core/clock.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// Reports that a thread's running time limit took its real-time priority (make_thread_realtime()),
/// and restores the priority once the thread is quiet. Thread rule: everything runs on that thread,
/// which runs the loop.
class PriorityReturn final : private base::ReadyHandler {
 public:
  /// A thread is quiet if it runs for less than kMostRun in this time.
  static constexpr Duration kQuiet = std::chrono::seconds(10);
  static constexpr Duration kMostRun = kQuiet / 2;

  struct Means {
    /// How often the priority was lost: realtime_overruns().
    std::function<std::uint64_t()> losses;
    std::function<Result<>()> make_realtime;
    /// Displays a line in the status of the process.
    std::function<void(std::string_view)> show;
  };

  /// `loop`, `log` and `clock` are borrowed. Errors: those of creating a timer.
  [[nodiscard]] static Result<std::unique_ptr<PriorityReturn>> create(base::EventLoop& loop,
                                                                      base::Log& log,
                                                                      const core::Clock& clock,
                                                                      Means means);
  PriorityReturn(const PriorityReturn&) = delete;
  PriorityReturn& operator=(const PriorityReturn&) = delete;
  ~PriorityReturn() override;

  /// Reports a loss since the last call. Call it in each turn of the loop: without a loss it makes
  /// no system call.
  void check();

 private:
  PriorityReturn(base::EventLoop& loop, base::Log& log, const core::Clock& clock, Means means,
                 base::Timer timer);
  void on_ready(std::uint32_t events) override;
  /// Begins to check whether the thread is quiet.
  void wait();

  base::EventLoop& loop_;
  base::Log& log_;
  const core::Clock& clock_;
  Means means_;
  base::Timer timer_;
  std::uint64_t losses_ = 0;
  /// CPU time of the thread when the wait began.
  Duration had_run_{};
};

}  // namespace evictd::daemon
