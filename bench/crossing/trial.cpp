// SPDX-License-Identifier: Apache-2.0
#include "crossing/trial.h"

#include <chrono>
#include <csignal>
#include <ctime>
#include <utility>

#include "evictd/try.h"

namespace evictd::bench {
namespace {

using std::chrono::seconds;

/// A hog reaches its cap within a second, and the slowest poller needs one more second. This limit
/// covers a machine in trouble or a killer that never kills.
constexpr seconds kTrialDeadline{10};

double microseconds(Duration duration) {
  return static_cast<double>(duration.count()) / 1000;
}
double mebibytes(Bytes bytes) {
  return static_cast<double>(bytes.value) / (1 << 20);
}

/// Starts trials at any point of a poller's period and of the kernel's own periods.
void pause_at_random(const Row& row, std::mt19937& random) {
  const Duration longest = std::max<Duration>(period_of(row.killer), std::chrono::milliseconds{10});
  std::uniform_int_distribution<Duration::rep> draw{0, longest.count() - 1};
  const Duration::rep pause = draw(random);
  const timespec time{pause / 1'000'000'000, pause % 1'000'000'000};
  ::nanosleep(&time, nullptr);
}

/// Usage at which the working set is at the threshold; moves with the inactive file cache.
Result<Bytes> level_of(const Row& row, const Ground& ground) {
  EVICTD_ASSIGN_OR_RETURN(const WorkingSet now, read_working_set(ground, row.scene.target));
  return row.scene.target == Target::kNode ? now.value() + kRunUp : kRunUp;
}

Result<ObserverLevel> observer_level(const Row& row, const Ground& ground, Bytes level,
                                     pid_t victim) {
  if (row.scene.target == Target::kNode) {
    return ObserverLevel{0, level, victim};
  }
  const Result<std::uint64_t> id = ground.tree.memory_id();
  const Result<WorkingSet> now = read_working_set(ground, row.scene.target);
  if (!id || !now) {
    return tl::unexpected(id ? now.error() : id.error());
  }
  // The observer reads the usage counter only.
  return ObserverLevel{*id, level + now->inactive_file, victim};
}

Result<> arm(Witnesses& witnesses, const ObserverLevel& watched, const Contender& contender) {
  if (witnesses.tracer) {
    EVICTD_ASSIGN_OR_RETURN(const pid_t thread, contender.hot_thread());
    witnesses.tracer->arm(thread, watched.victim);
  }
  witnesses.observer.arm(watched);
  return {};
}

std::optional<StepTimes> steps_since(MonoTime detected, Witnesses& witnesses) {
  const std::optional<HotTrace> trace =
      witnesses.tracer ? witnesses.tracer->disarm() : std::nullopt;
  return trace ? steps_of(*trace, detected) : std::nullopt;
}

/// When the kill was done.
MonoTime returned_at(const ObserverReading& seen) {
  return seen.sigkill_returned.value_or(*seen.sigkill);
}

TrialOutcome judge(const ObserverReading& seen, Bytes level, const stage::LoadProcess& hog,
                   const Result<stage::ChildExit>& end, MonoTime let_go) {
  TrialOutcome outcome;
  if (!end) {
    outcome.void_because = "the hog was not killed";
  } else if (!end->killed_by(SIGKILL)) {
    outcome.void_because = "the hog ended with " + end->text();
  } else if (!seen.crossed || !seen.sigkill || !(seen.by_kernel || seen.sigkill_returned)) {
    outcome.void_because = "the observer saw no crossing or no SIGKILL";
  } else if (*seen.crossed < let_go) {
    outcome.void_because = "the level was crossed before the hog started";
  } else {
    outcome.to_generated_us = microseconds(*seen.sigkill - *seen.crossed);
    outcome.to_sigkill_us = microseconds(returned_at(seen) - *seen.crossed);
    outcome.by_kernel = seen.by_kernel;
    outcome.to_exit_us = microseconds(end->at - *seen.crossed);
    outcome.past_at_sigkill_mib = mebibytes(seen.at_sigkill - level);
    outcome.past_at_most_mib = mebibytes(seen.furthest - level);
    outcome.hog_mib_per_second = hog.stamps().rate_per_second() / (1 << 20);
  }
  return outcome;
}

}  // namespace

Result<TrialOutcome> run_trial(const Row& row, Ground& ground, Contender& contender,
                               Witnesses& witnesses, std::mt19937& random) {
  EVICTD_ASSIGN_OR_RETURN(stage::StagedPod pod, ground.tree.add_pod({.name = "hog"}));
  Result<stage::LoadProcess> hog = stage::LoadProcess::start(ground.tree, pod,
                                                             {.binary = ground.evict_load,
                                                              .directory = ground.scratch.path(),
                                                              .cap = kHogCap.value,
                                                              .pages = row.scene.pages});
  const Result<Bytes> level = level_of(row, ground);
  if (!hog || !level) {
    return tl::unexpected(hog ? level.error() : hog.error());
  }
  const pid_t victim = hog->child().pid();
  EVICTD_ASSIGN_OR_RETURN(const ObserverLevel watched, observer_level(row, ground, *level, victim));
  EVICTD_TRY(contender.arm(victim, *level));
  pause_at_random(row, random);
  EVICTD_TRY(arm(witnesses, watched, contender));
  const MonoTime let_go{std::chrono::steady_clock::now().time_since_epoch()};
  hog->go();
  const Result<stage::ChildExit> end = hog->child().wait(kTrialDeadline);
  const ObserverReading seen = witnesses.observer.disarm();
  TrialOutcome outcome = judge(seen, watched.level, *hog, end, let_go);
  const std::optional<MonoTime> detected =
      outcome.void_because.empty() ? contender.detected(pod.uid) : std::nullopt;
  if (detected) {
    outcome.detection_to_generated_us = microseconds(*seen.sigkill - *detected);
    outcome.detection_to_sigkill_us = microseconds(returned_at(seen) - *detected);
    outcome.steps = steps_since(*detected, witnesses);
  }
  EVICTD_TRY(contender.disarm());
  const Result<std::int64_t> oom_kills = ground.tree.oom_kills();
  if (!oom_kills || *oom_kills != 0) {
    return fail(Errc::kInvalid, "the kernel's OOM killer ran in the private tree");
  }
  hog = fail(Errc::kNotFound, "the trial is over");
  EVICTD_TRY(ground.tree.remove_pod(pod));
  return outcome;
}

}  // namespace evictd::bench
