// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/priority_return.h"

#include <string>
#include <utility>

#include "evictd/try.h"

namespace evictd::daemon {

PriorityReturn::PriorityReturn(base::EventLoop& loop, base::Log& log, const core::Clock& clock,
                               Means means, base::Timer timer)
    : loop_(loop),
      log_(log),
      clock_(clock),
      means_(std::move(means)),
      timer_(std::move(timer)),
      losses_(means_.losses()) {}

Result<std::unique_ptr<PriorityReturn>> PriorityReturn::create(base::EventLoop& loop,
                                                               base::Log& log,
                                                               const core::Clock& clock,
                                                               Means means) {
  EVICTD_ASSIGN_OR_RETURN(base::Timer timer, base::Timer::create());
  std::unique_ptr<PriorityReturn> made(
      new PriorityReturn(loop, log, clock, std::move(means), std::move(timer)));
  EVICTD_TRY(loop.add(made->timer_.descriptor(), EPOLLIN, *made));
  return made;
}

PriorityReturn::~PriorityReturn() {
  loop_.remove(timer_.descriptor(), *this);
}

void PriorityReturn::check() {
  const std::uint64_t losses = means_.losses();
  if (losses == losses_) {
    return;
  }
  losses_ = losses;
  log_.warn(
      "the thread of notifications ran for too long without a pause, continuing without "
      "real-time priority until it is quiet",
      {{"times", static_cast<std::int64_t>(losses)}});
  means_.show("without real-time priority, lost " + std::to_string(losses) + " times");
  wait();
}

void PriorityReturn::wait() {
  had_run_ = clock_.thread_cpu();
  timer_.arm(clock_.now() + kQuiet);
}

void PriorityReturn::on_ready(std::uint32_t /*events*/) {
  timer_.consume();
  if (clock_.thread_cpu() - had_run_ >= kMostRun) {
    wait();
    return;
  }
  if (const Result<> done = means_.make_realtime(); !done) {
    log_.warn(done.error().message() + ", continuing without real-time priority");
    return;
  }
  log_.info("the thread of notifications has its real-time priority again");
  means_.show("real-time priority was lost " + std::to_string(losses_) + " times");
}

}  // namespace evictd::daemon
