// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "evictd/time.h"
#include "kube/actions/durable_queue.h"
#include "kube/actions/pace.h"
#include "kube/actions/request.h"
#include "kube/actions/verdict.h"
#include "kube/backoff.h"

namespace evictd::kube {

/// Results of requests; all members but `asked` count answers.
struct DispatchCounters {
  std::uint64_t asked = 0;
  std::uint64_t done = 0;
  std::uint64_t gone = 0;      ///< Entries whose pod no longer exists.
  std::uint64_t rejected = 0;  ///< Steps given up: the server will never accept them.
  std::uint64_t forbidden = 0;
  std::uint64_t budgets = 0;      ///< Evictions that a disruption budget blocked.
  std::uint64_t deletes = 0;      ///< Deletions sent in place of an eviction.
  std::uint64_t failures = 0;     ///< Failures that concern one entry only.
  std::uint64_t unavailable = 0;  ///< No answer, or an unhealthy server: every entry waits.
};

/// Chooses the next request, and decides from each answer what happens next. It sends one request
/// at a time, the oldest first. An entry that waits by itself delays no other entry. An entry that
/// got no answer from the server comes after all others. No socket, no clock.
class Dispatcher {
 public:
  struct Options {
    std::string node;
    int requests_per_second = 50;
    /// If false, a pod that a disruption budget blocks is deleted: a kubelet's eviction ignores
    /// budgets.
    bool respects_budgets = false;
    RandomPart random;
    /// Called when a step was given up; `what` is one line.
    std::function<void(const std::string& what)> on_given_up;
  };

  /// `queue` is borrowed.
  Dispatcher(DurableQueue& queue, Options options);

  /// The latest time of the next tick() call.
  [[nodiscard]] MonoTime due() const;
  [[nodiscard]] std::optional<Ask> tick(MonoTime now, WallTime wall);
  /// Errors: those of the queue's file; the finished step is then requested again.
  [[nodiscard]] Result<> on_end(const Answer& answer, MonoTime now);

  [[nodiscard]] const DispatchCounters& counters() const { return counters_; }
  /// What is wrong now; empty while nothing is.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  /// State of an entry that was tried and is not finished.
  struct Trial {
    MonoTime due{};
    int forbidden = 0;
    int unknown_versions = 0;
    /// Unanswered requests in a row. A webhook that hangs for one namespace delays that namespace
    /// only.
    int unanswered = 0;
    bool deletes = false;
    bool posts_again = false;
    Backoff backoff{{}};
  };

  [[nodiscard]] const Entry* next(MonoTime now) const;
  void wait_for_server(const Entry& entry, const Answer& answer, MonoTime now);
  [[nodiscard]] Result<> take_verdict(Verdict verdict, const Entry& entry, const Answer& answer,
                                      MonoTime now);
  [[nodiscard]] Result<> finish(const Entry& entry, std::size_t done);
  [[nodiscard]] Result<> give_up(const Entry& entry, const Answer& answer);
  [[nodiscard]] Result<> take_forbidden(const Entry& entry, const Answer& answer, MonoTime now);
  void take_unknown_version(const Entry& entry, const Answer& answer, MonoTime now);
  /// Sends a deletion at once; where budgets are respected, retries the eviction later.
  void delete_or_retry(const Entry& entry, const Answer& answer, MonoTime now);
  void retry_later(const Entry& entry, const Answer& answer, MonoTime now);

  DurableQueue& queue_;
  Options options_;
  Pace pace_;
  Backoff server_backoff_{{}};
  MonoTime server_due_{};
  RequestForm::Policy policy_ = RequestForm::Policy::kV1;
  std::map<std::uint64_t, Trial> trials_;
  /// The entry of the request in progress.
  std::optional<std::uint64_t> asked_;
  Ask::Method method_ = Ask::Method::kGet;
  DispatchCounters counters_;
  std::string problem_;
};

}  // namespace evictd::kube
