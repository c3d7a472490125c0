// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/timer.h"
#include "core/clock.h"
#include "notify/make_engine.h"
#include "notify/service.h"

namespace evictd::daemon {

/// How notifications are served, for status.
struct NotifyReport {
  std::string socket;
  bool serving = false;
  /// Why not; empty while they are served.
  std::string problem;
  /// Times that serving could not begin or go on.
  std::uint64_t failures = 0;
  /// The thread did not answer in time: the numbers are those of the question before.
  bool stale = false;
  bool polling = false;
  /// The hooks, or what is read how often.
  std::string backend;
  /// Why files are read; empty with hooks.
  std::string polls_because;
  /// Why pressure cannot be registered; empty where it can.
  std::string no_pressure_because;
  notify::ServiceCounters service;
  notify::EngineCounters engine;
  /// By evictd_notify_signal.
  std::array<std::size_t, EVICTD_NOTIFY_SIGNALS> by_signal{};
  notify::ServiceOptions limits;
};

struct NotifyWorkerOptions {
  std::filesystem::path socket;
  /// Row of the attach ladder, "none" for polling; empty for the best that works.
  std::string hook;
  /// Descriptors that clients may take up, about.
  std::uint64_t descriptors = 0;
  /// Who wants files to be read, for the report; empty where only what fails is a reason.
  std::string no_hook_because;
};

/// What clients may have, so that all of them together take up no more than about `descriptors`:
/// root's and others' get a half each, and one user gets at most half of the others'.
[[nodiscard]] notify::ServiceOptions service_options_of(const NotifyWorkerOptions& options);

/// Serves notifications of thresholds beside the evictor, on a thread of ordinary priority.
/// Whatever becomes of it, evictions go on: nobody waits for it, and its failure is a text in
/// status. Thread rule: made and used by housekeeping.
class NotifyWorker {
 public:
  /// Loads the kernel side of notifications and starts the thread. It never fails: why nothing is
  /// served is in report().
  [[nodiscard]] static std::unique_ptr<NotifyWorker> start(const NotifyWorkerOptions& options,
                                                           const core::Clock& clock);
  NotifyWorker(const NotifyWorker&) = delete;
  NotifyWorker& operator=(const NotifyWorker&) = delete;
  /// Ends all registrations; their clients see that the socket is gone.
  ~NotifyWorker();

  /// How it stands now. Waits for the thread, 50 ms at most.
  [[nodiscard]] NotifyReport report();
  /// The problem of report(), once.
  [[nodiscard]] std::optional<std::string> take_problem();

 private:
  NotifyWorker() = default;
  /// Errors: those of notify::make_engine(), of notify::Service::create() and of starting a thread.
  [[nodiscard]] Result<> prepare(const NotifyWorkerOptions& options, const core::Clock& clock);
  void run();
  [[nodiscard]] Result<> serve();
  void tell(std::uint64_t asked);
  void give_up(const std::string& problem);

  std::unique_ptr<notify::Engine> engine_;
  std::optional<base::EventLoop> loop_;
  /// Rung by the other thread: it asks, or wants an end.
  std::optional<base::WakeUp> bell_;
  std::unique_ptr<notify::Service> service_;

  std::mutex mutex_;
  std::condition_variable told_;
  // Guarded by `mutex_`.
  NotifyReport report_;
  bool problem_taken_ = false;
  bool stop_ = false;
  std::uint64_t questions_ = 0;
  std::uint64_t answered_ = 0;

  std::thread thread_;
};

}  // namespace evictd::daemon
