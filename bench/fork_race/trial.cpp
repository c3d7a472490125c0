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
#include "fork_race/pid_limit.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

/// A kubelet's poll is ten seconds; killing thousands of processes takes some more when emulated.
constexpr std::chrono::seconds kTrialDeadline{60};
/// Pids that the machine itself takes and gives back meanwhile.
constexpr std::int64_t kSlack = 16;

double milliseconds(Duration duration) {
  return static_cast<double>(duration.count()) / 1e6;
}

/// Waits until no process is left in the pod, by cgroup.events of v2.
Result<MonoTime> await_gone(const std::filesystem::path& container) {
  const base::Fd events{::open((container / "cgroup.events").c_str(), O_RDONLY | O_CLOEXEC)};
  if (!events) {
    return fail_errno(errno, "open cgroup.events");
  }
  const auto deadline = std::chrono::steady_clock::now() + kTrialDeadline;
  while (std::chrono::steady_clock::now() < deadline) {
    const Result<std::string> text = stage::read_text(container / "cgroup.events");
    if (!text) {
      return tl::unexpected(text.error());
    }
    if (stage::number_after(*text, "populated").value_or(1) == 0) {
      return base::SystemClock{}.now();
    }
    pollfd changed{events.get(), POLLPRI, 0};
    ::poll(&changed, 1, 1000);
  }
  return fail(Errc::kTimedOut, "processes of the bombing pod are left");
}

/// Kills what is left of the pod: the bomb's children outlive it.
void end_pod(const std::filesystem::path& container) {
  static_cast<void>(stage::write_kernel_file(container / "cgroup.kill", "1"));
}

void read_stamps(const load::StampLog& stamps, std::int64_t before, const PidRoom& room,
                 std::optional<MonoTime> gone, BombOutcome& outcome) {
  const std::optional<load::LoadStamp> last = stamps.last();
  const std::int64_t at_most = room.limit - room.threshold;
  const auto to_threshold = static_cast<std::uint64_t>(std::max<std::int64_t>(at_most - before, 0));
  const std::optional<load::LoadStamp> crossing = stamps.first_reaching(to_threshold + 1);
  if (!last) {
    return;
  }
  outcome.limit_reached = before + static_cast<std::int64_t>(last->total) >= room.limit - kSlack;
  if (!crossing) {
    return;
  }
  outcome.forks_past = static_cast<double>(last->total - crossing->total);
  outcome.forking_past_ms = static_cast<double>(last->end_ns - crossing->end_ns) / 1e6;
  if (gone) {
    outcome.to_gone_ms = milliseconds(*gone - load::to_mono_time(crossing->end_ns));
  }
}

}  // namespace

bool BombOutcome::won() const {
  return killed && !limit_reached && !guaranteed_died && !burstable_died;
}

Result<BombOutcome> run_bomb(Cast& cast, const PidRoom& room) {
  stage::LoadOptions load;
  load.kind = load::LoadKind::kForks;
  load.cap = room.limit * 4;
  load.batch = 1;
  Result<Actor> bomb = cast.make_culprit("besteffort-bomb", load);
  const Result<std::int64_t> before = machine_tasks();
  if (!bomb || !before) {
    return tl::unexpected(bomb ? before.error() : bomb.error());
  }
  const std::filesystem::path container = cast.directory_of(*bomb);
  bomb->process.go();
  BombOutcome outcome;
  outcome.killed = bomb->process.child().wait(kTrialDeadline).has_value();
  if (!outcome.killed) {
    end_pod(container);
  }
  const Result<MonoTime> gone = await_gone(container);
  if (!gone) {
    end_pod(container);
    return tl::unexpected(gone.error());
  }
  read_stamps(bomb->process.stamps(), *before, room,
              outcome.killed ? std::optional{*gone} : std::nullopt, outcome);
  outcome.guaranteed_died = !cast.guaranteed_lives();
  outcome.burstable_died = !cast.burstable_lives();
  if (Result<> removed = cast.remove(std::move(*bomb)); !removed) {
    return tl::unexpected(removed.error());
  }
  return outcome;
}

}  // namespace evictd::bench
