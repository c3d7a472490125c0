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

/// What became of requests; all but `asked` count answers.
struct DispatchCounters {
  std::uint64_t asked = 0;
  std::uint64_t done = 0;
  std::uint64_t gone = 0;      ///< Entries whose pod was no more.
  std::uint64_t rejected = 0;  ///< Steps given up: the server will never take them.
  std::uint64_t forbidden = 0;
  std::uint64_t budgets = 0;      ///< Evictions that a disruption budget held.
  std::uint64_t deletes = 0;      ///< Deletions asked for in place of an eviction.
  std::uint64_t failures = 0;     ///< Of one entry.
  std::uint64_t unavailable = 0;  ///< No answer, or the server is not well: everything waits.
};

/// Says which request is next, and makes of each answer what follows. One request at a time, the
/// oldest first; an entry that has to wait by itself holds up no other, and one that the server had
/// no answer for comes after all others. No socket, no clock.
class Dispatcher {
 public:
  struct Options {
    std::string node;
    int requests_per_second = 50;
    /// Otherwise a pod that a budget holds is deleted, as a kubelet's eviction asks no budget.
    bool respects_budgets = false;
    RandomPart random;
    /// A step was given up; one line.
    std::function<void(const std::string& what)> on_given_up;
  };

  /// `queue` is borrowed.
  Dispatcher(DurableQueue& queue, Options options);

  /// When to call tick() next, at the latest.
  [[nodiscard]] MonoTime due() const;
  [[nodiscard]] std::optional<Ask> tick(MonoTime now, WallTime wall);
  /// Errors: those of the queue's file; what was done is then asked for again.
  [[nodiscard]] Result<> on_end(const Answer& answer, MonoTime now);

  [[nodiscard]] const DispatchCounters& counters() const { return counters_; }
  /// What is wrong now; empty while nothing is.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  /// Of an entry that was tried and is not done.
  struct Trial {
    MonoTime due{};
    int forbidden = 0;
    int unknown_versions = 0;
    /// In a row, so that a webhook that hangs for one namespace holds up that one alone.
    int unanswered = 0;
    bool deletes = false;
    bool posts_anew = false;
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
  /// Asks for a deletion at once, or for an eviction later where budgets are respected.
  void go_on_without_eviction(const Entry& entry, const Answer& answer, MonoTime now);
  void wait_with(const Entry& entry, const Answer& answer, MonoTime now);

  DurableQueue& queue_;
  Options options_;
  Pace pace_;
  Backoff server_backoff_{{}};
  MonoTime server_due_{};
  RequestForm::Policy policy_ = RequestForm::Policy::kV1;
  std::map<std::uint64_t, Trial> trials_;
  /// Of the request in progress.
  std::optional<std::uint64_t> asked_;
  Ask::Method method_ = Ask::Method::kGet;
  DispatchCounters counters_;
  std::string problem_;
};

}  // namespace evictd::kube
