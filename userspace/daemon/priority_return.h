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

/// Has a thread tell that its limit of running time took its real-time priority
/// (make_thread_realtime()), and take it back once it is quiet.
/// Thread rule: everything belongs to the thread that it is about, which runs the loop.
class PriorityReturn final : private base::ReadyHandler {
 public:
  /// A thread is quiet that has run for less than kMostRun in this time.
  static constexpr Duration kQuiet = std::chrono::seconds(10);
  static constexpr Duration kMostRun = kQuiet / 2;

  struct Means {
    /// How often the priority was taken: realtime_overruns().
    std::function<std::uint64_t()> losses;
    std::function<Result<>()> make_realtime;
    /// Shows a line to whoever asks how the process stands.
    std::function<void(std::string_view)> show;
  };

  /// `loop`, `log` and `clock` are borrowed. Errors: what making a timer says.
  [[nodiscard]] static Result<std::unique_ptr<PriorityReturn>> create(base::EventLoop& loop,
                                                                      base::Log& log,
                                                                      const core::Clock& clock,
                                                                      Means means);
  PriorityReturn(const PriorityReturn&) = delete;
  PriorityReturn& operator=(const PriorityReturn&) = delete;
  ~PriorityReturn() override;

  /// Tells of a loss that there was since the last call. For each turn of the loop: costs no system
  /// call without one.
  void look();

 private:
  PriorityReturn(base::EventLoop& loop, base::Log& log, const core::Clock& clock, Means means,
                 base::Timer timer);
  void on_ready(std::uint32_t events) override;
  /// Begins to see whether the thread is quiet.
  void wait();

  base::EventLoop& loop_;
  base::Log& log_;
  const core::Clock& clock_;
  Means means_;
  base::Timer timer_;
  std::uint64_t losses_ = 0;
  /// CPU time of the thread when it began to wait.
  Duration had_run_{};
};

}  // namespace evictd::daemon
