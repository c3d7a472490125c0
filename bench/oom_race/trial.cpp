// SPDX-License-Identifier: Apache-2.0
#include "oom_race/trial.h"

#include <chrono>
#include <csignal>
#include <utility>
#include <vector>

#include "evictd/try.h"
#include "harness/machine.h"
#include "harness/milliseconds.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

/// The slowest hog crosses any threshold within six seconds, and a kubelet polls every ten. This
/// limit covers a thrashing machine and a racer that never acts.
constexpr std::chrono::seconds kTrialDeadline{60};
/// Covers a racer that acts again, or an OOM killer that was already choosing.
constexpr std::chrono::seconds kAftermath{1};

std::optional<double> since(const std::optional<MonoTime>& start, MonoTime end) {
  if (!start || *start > end) {
    return std::nullopt;
  }
  return milliseconds(end - *start);
}

/// Waits for the hog's exit; kills one that survives and returns nullopt.
std::optional<stage::ChildExit> await_end(stage::Child& hog) {
  const Result<stage::ChildExit> end = hog.wait(kTrialDeadline);
  if (end) {
    return *end;
  }
  hog.signal(SIGKILL);
  static_cast<void>(hog.wait(kTrialDeadline));
  return std::nullopt;
}

Result<HogEnd> end_of(const std::optional<stage::ChildExit>& end, const Cast& cast,
                      const Actor& hog) {
  if (!end) {
    return HogEnd::kSurvived;
  }
  if (!end->killed_by(SIGKILL)) {
    return fail(Errc::kInvalid, "the hog ended with " + end->text());
  }
  EVICTD_ASSIGN_OR_RETURN(std::int64_t taken, cast.oom_kills(hog));
  return taken > 0 ? HogEnd::kOomKilled : HogEnd::kEvicted;
}

}  // namespace

Result<std::int64_t> machine_oom_kills() {
  const Result<std::string> text = stage::read_text("/proc/vmstat");
  return text ? stage::number_after(*text, "oom_kill") : tl::unexpected(text.error());
}

bool RaceOutcome::won() const {
  return end == HogEnd::kEvicted && oom_kills == 0 && !guaranteed_died && !burstable_died;
}

namespace {

/// From the start to the hog's exit; the caller removes the hog.
Result<RaceOutcome> watch_race(const RaceRun& run, Actor& hog, const Cast& cast, Observer& observer,
                               MemoryWitness& witness, Bytes capacity) {
  const Result<std::int64_t> before = machine_oom_kills();
  const Result<Bytes> swapped = swap_used();
  if (!before || !swapped) {
    return tl::unexpected(before ? swapped.error() : before.error());
  }
  stage::Child& process = hog.process.child();
  std::vector<Bytes> thresholds;
  for (const RaceRow& row : run.rows) {
    thresholds.push_back(threshold_of(row.scene, capacity));
  }
  observer.arm({0, capacity - thresholds.front(), process.pid()});
  EVICTD_TRY(witness.start(std::move(thresholds)));
  hog.process.go();
  const std::optional<stage::ChildExit> ended = await_end(process);
  cast.watch_bystanders(kAftermath);
  const MemorySeen memory = witness.stop();
  const ObserverReading seen = observer.disarm();
  const Result<std::int64_t> after = machine_oom_kills();
  const Result<HogEnd> end = end_of(ended, cast, hog);
  if (!after || !end) {
    return tl::unexpected(after ? end.error() : after.error());
  }
  RaceOutcome outcome;
  outcome.end = *end;
  outcome.hog_died_at = ended ? std::optional{ended->at} : std::nullopt;
  outcome.guaranteed_died = !cast.guaranteed_lives();
  outcome.burstable_died = !cast.burstable_lives();
  outcome.oom_kills = *after - *before;
  outcome.swap_used_at_start = *swapped;
  outcome.lowest_available = memory.lowest_available;
  outcome.lowest_kubelet_available = capacity - seen.furthest;
  for (const std::optional<MonoTime>& crossed : memory.crossed_at) {
    outcome.from_crossing_ms.push_back(ended ? since(crossed, ended->at) : std::nullopt);
  }
  outcome.from_short_ms = ended ? since(memory.short_since, ended->at) : std::nullopt;
  return outcome;
}

}  // namespace

Result<RaceOutcome> run_race(const RaceRun& run, Cast& cast, Observer& observer,
                             MemoryWitness& witness, Bytes capacity) {
  stage::LoadOptions load;
  load.rate = run.first().scene.rate.value;
  load.pages = run.first().scene.pages;
  EVICTD_ASSIGN_OR_RETURN(Actor hog, cast.make_culprit("besteffort-hog", load));
  Result<RaceOutcome> outcome = watch_race(run, hog, cast, observer, witness, capacity);
  // Also after a void trial: the next one starts without a hog.
  if (Result<> removed = cast.remove(std::move(hog)); !removed && outcome) {
    return tl::unexpected(removed.error());
  }
  return outcome;
}

}  // namespace evictd::bench
