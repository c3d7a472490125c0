// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/timer.h"
#include "core/clock.h"
#include "daemon/shared/worker.h"
#include "notify/make_engine.h"
#include "notify/service.h"

namespace evictd::daemon {

/// How notifications are served, for status.
struct NotifyReport {
  std::string socket;
  bool serving = false;
  /// Why they are not served; empty if they are.
  std::string problem;
  /// Times that serving could not begin or continue.
  std::uint64_t failures = 0;
  /// The thread did not answer in time: the numbers are from the previous query.
  bool stale = false;
  bool polling = false;
  /// The hooks, or which files are read and how often.
  std::string backend;
  /// Why files are read; empty with hooks.
  std::string polls_because;
  /// Why pressure cannot be registered; empty if it can.
  std::string no_pressure_because;
  notify::ServiceCounters service;
  notify::EngineCounters engine;
  /// Indexed by evictd_notify_signal.
  std::array<std::size_t, EVICTD_NOTIFY_SIGNALS> by_signal{};
  notify::ServiceOptions limits;
};

struct NotifyWorkerOptions {
  std::filesystem::path socket;
  /// Row of the attach ladder, "none" for polling; empty for the best one that works.
  std::string hook;
  /// Approximate number of descriptors that clients may use.
  std::uint64_t descriptors = 0;
  /// The setting that selects reading files, for the report; empty if only a failure is a reason.
  std::string no_hook_because;
};

/// Returns limits for clients, so that all of them together use no more than about `descriptors`.
/// Root and other users get half each; one user gets at most half of the others' part.
[[nodiscard]] notify::ServiceOptions service_options_of(const NotifyWorkerOptions& options);

/// Serves notifications of thresholds beside the evictor, on a thread of ordinary priority. Its
/// failure never stops evictions: no thread waits for it, and status has its error. Thread rule:
/// created and used by housekeeping.
class NotifyWorker {
 public:
  /// Loads the kernel side of notifications and starts the thread. Never fails: report() says why
  /// nothing is served.
  [[nodiscard]] static std::unique_ptr<NotifyWorker> start(const NotifyWorkerOptions& options,
                                                           const core::Clock& clock);
  NotifyWorker(const NotifyWorker&) = delete;
  NotifyWorker& operator=(const NotifyWorker&) = delete;
  /// Ends all registrations; clients see that the socket is gone.
  ~NotifyWorker();

  /// The current state. Waits for the thread, 50 ms at most.
  [[nodiscard]] NotifyReport report();
  /// The problem of report(), once.
  [[nodiscard]] std::optional<std::string> take_problem();

 private:
  /// For a report.
  struct Question {};

  NotifyWorker() = default;
  /// Errors: those of notify::make_engine(), of notify::Service::create() and of starting a thread.
  [[nodiscard]] Result<> prepare(const NotifyWorkerOptions& options, const core::Clock& clock);
  void run();
  [[nodiscard]] Result<> serve();
  void answer();
  void give_up(const std::string& problem);

  std::unique_ptr<notify::Engine> engine_;
  std::optional<base::EventLoop> loop_;
  /// Rung by the other thread after it has asked for a report or for the end.
  std::optional<base::WakeUp> bell_;
  std::unique_ptr<notify::Service> service_;

  std::mutex mutex_;
  // Guarded by `mutex_`.
  NotifyReport report_;
  bool problem_taken_ = false;

  Worker<Question> worker_;
};

}  // namespace evictd::daemon
