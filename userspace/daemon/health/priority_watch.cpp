// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/priority_watch.h"

namespace evictd::daemon {

std::optional<PriorityWatch::Change> PriorityWatch::check(MonoTime now) {
  const bool has_it = means_.in_force();
  if (had_it_ && !has_it) {
    return lost(now);
  }
  if (!waits_since_) {
    return std::nullopt;
  }
  if (has_it) {
    waits_since_.reset();
    had_it_ = true;
    return Change{.in_force = true,
                  .text =
                      "another process gave the hot thread real-time "
                      "priority"};
  }
  if (now - *waits_since_ < kQuiet) {
    return std::nullopt;
  }
  if (means_.run() - had_run_ >= kMostRun) {
    wait(now);
    return std::nullopt;
  }
  return give_back(now);
}

void PriorityWatch::wait(MonoTime now) {
  waits_since_ = now;
  had_run_ = means_.run();
}

PriorityWatch::Change PriorityWatch::lost(MonoTime now) {
  had_it_ = false;
  ++losses_;
  refusal_told_ = false;
  wait(now);
  const std::uint64_t overruns = means_.overruns();
  const bool overran = overruns != overruns_;
  overruns_ = overruns;
  return {.in_force = false,
          .text = overran ? "the hot thread ran for realtime.limit without a pause and lost its "
                            "real-time priority"
                          : "another process took the real-time priority of the hot thread away"};
}

std::optional<PriorityWatch::Change> PriorityWatch::give_back(MonoTime now) {
  if (const Result<> given = means_.give_back(); !given) {
    wait(now);
    if (refusal_told_) {
      return std::nullopt;
    }
    refusal_told_ = true;
    return Change{.in_force = false, .text = given.error().message()};
  }
  waits_since_.reset();
  had_it_ = true;
  return Change{.in_force = true, .text = "the hot thread has its real-time priority again"};
}

}  // namespace evictd::daemon
