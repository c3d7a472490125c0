// SPDX-License-Identifier: Apache-2.0
#include "fork_race/trial.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "base/fd.h"
#include "base/system_clock.h"
#include "evictd/try.h"
#include "fork_race/pid_limit.h"
#include "harness/milliseconds.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

/// A kubelet polls every ten seconds; killing thousands of processes takes longer when emulated.
constexpr std::chrono::seconds kTrialDeadline{60};

/// Waits until the pod has no process left, by cgroup.events of v2.
Result<MonoTime> await_gone(const std::filesystem::path& container) {
  const base::Fd events{::open((container / "cgroup.events").c_str(), O_RDONLY | O_CLOEXEC)};
  if (!events) {
    return fail_errno(errno, "open cgroup.events");
  }
  const auto deadline = std::chrono::steady_clock::now() + kTrialDeadline;
  while (std::chrono::steady_clock::now() < deadline) {
    EVICTD_ASSIGN_OR_RETURN(const std::string text, stage::read_text(container / "cgroup.events"));
    if (stage::number_after(text, "populated").value_or(1) == 0) {
      return base::SystemClock{}.now();
    }
    pollfd changed{events.get(), POLLPRI, 0};
    ::poll(&changed, 1, 1000);
  }
  return fail(Errc::kTimedOut, "processes of the bombing pod are still running");
}

/// Kills the rest of the pod: the bomb's children outlive it.
void end_pod(const std::filesystem::path& container) {
  static_cast<void>(stage::write_kernel_file(container / "cgroup.kill", "1"));
}

/// The value of `key` in a file of the container.
Result<std::int64_t> count_in(const std::filesystem::path& file, const char* key) {
  const Result<std::string> text = stage::read_text(file);
  return text ? stage::number_after(*text, key) : tl::unexpected(text.error());
}

/// Starts the bomb and waits until it is gone.
Result<BombOutcome> watch_bomb(Cast& cast, Actor& bomb, const ForkingBystander& bystander,
                               const PidRoom& room) {
  EVICTD_ASSIGN_OR_RETURN(const std::int64_t before, machine_tasks());
  const std::uint64_t forks_before = bystander.forks();
  const std::uint64_t failed_before = bystander.failed();
  const std::filesystem::path container = cast.directory_of(bomb);
  stage::Child& process = bomb.process.child();
  bomb.process.go();
  const Result<stage::ChildExit> end = process.wait(kTrialDeadline);
  if (!end) {
    end_pod(container);
  } else if (!end->killed_by(SIGKILL)) {
    return fail(Errc::kInvalid, "the bomb ended with " + end->text());
  }
  const Result<MonoTime> gone = await_gone(container);
  const Result<std::int64_t> refused = count_in(container / "pids.events", "max");
  const Result<std::int64_t> oom_kills = cast.oom_kills(bomb);
  if (!gone || !refused || !oom_kills) {
    return tl::unexpected(!gone ? gone.error() : !refused ? refused.error() : oom_kills.error());
  }
  const std::uint64_t failed = bystander.failed() - failed_before;
  if (failed == 0 && bystander.forks() == forks_before) {
    return fail(Errc::kInvalid, "the bystander forked no process");
  }
  BombOutcome outcome = outcome_of({.stamps = bomb.process.stamps(),
                                    .tasks_before = before,
                                    .end = end ? std::optional{*end} : std::nullopt,
                                    .oom_kills = *oom_kills,
                                    .refused_by_cgroup = *refused,
                                    .bystander_refused = failed,
                                    .gone = *gone},
                                   room);
  outcome.guaranteed_died = !cast.guaranteed_lives();
  outcome.burstable_died = !cast.burstable_lives();
  return outcome;
}

}  // namespace

bool BombOutcome::won() const {
  return killed && !limit_reached && !refused_untold && !bystander_refused && !guaranteed_died &&
         !burstable_died;
}

BombOutcome outcome_of(const BombEvidence& evidence, const PidRoom& room) {
  BombOutcome outcome;
  outcome.killed = evidence.end && evidence.end->killed_by(SIGKILL) && evidence.oom_kills == 0;
  outcome.limit_reached =
      static_cast<std::int64_t>(evidence.stamps.refused()) > evidence.refused_by_cgroup;
  outcome.refused_untold = evidence.stamps.refused_untold() > 0;
  outcome.bystander_refused = evidence.bystander_refused > 0;
  const std::int64_t at_most = room.limit - room.threshold - evidence.tasks_before;
  const auto forks_to_threshold = static_cast<std::uint64_t>(std::max<std::int64_t>(at_most, 0));
  const std::optional<load::LoadStamp> crossing =
      evidence.stamps.first_where([forks_to_threshold](const load::LoadStamp& stamp) {
        return stamp.total > forks_to_threshold;
      });
  const std::optional<load::LoadStamp> last = evidence.stamps.last();
  if (!crossing || !last) {
    return outcome;
  }
  outcome.forks_past = static_cast<double>(last->total - crossing->total);
  outcome.forking_past_ms = static_cast<double>(last->end_ns - crossing->end_ns) / 1e6;
  if (outcome.killed) {
    outcome.to_gone_ms = milliseconds(evidence.gone - load::to_mono_time(crossing->end_ns));
  }
  return outcome;
}

Result<BombOutcome> run_bomb(Cast& cast, const ForkingBystander& bystander, const PidRoom& room) {
  stage::LoadOptions load;
  load.kind = load::LoadKind::kForks;
  load.cap = room.limit * 4;
  load.batch = 1;
  EVICTD_ASSIGN_OR_RETURN(Actor bomb, cast.make_culprit("besteffort-bomb", load));
  Result<BombOutcome> outcome = watch_bomb(cast, bomb, bystander, room);
  // Also after a void trial: the next one starts without a bomb.
  if (Result<> removed = cast.remove(std::move(bomb)); !removed && outcome) {
    return tl::unexpected(removed.error());
  }
  return outcome;
}

}  // namespace evictd::bench
