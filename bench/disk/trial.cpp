// SPDX-License-Identifier: Apache-2.0
#include "disk/trial.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <utility>

#include "evictd/try.h"
#include "harness/milliseconds.h"
#include "stage/disk_witness.h"

namespace evictd::bench {
namespace {

/// Several poll intervals.
constexpr std::chrono::seconds kTrialDeadline{60};
/// Removing thousands of files takes longer than freeing memory.
constexpr std::chrono::seconds kFreedPatience{20};

/// Less than this counts as nothing.
constexpr std::int64_t kFewBytes = 1 << 20;
constexpr std::int64_t kFewInodes = 64;

void read_testimony(const stage::DiskTestimony& seen, std::optional<MonoTime> dead,
                    const DiskRow& row, FillOutcome& outcome) {
  const std::int64_t lowest = row.remaining_in(seen.lowest);
  outcome.filled_up = lowest < (row.resource == FilledResource::kBytes ? kFewBytes : kFewInodes);
  outcome.past = row.in_unit(std::max<std::int64_t>(row.amount() - lowest, 0));
  if (seen.crossing && dead) {
    outcome.to_dead_ms = milliseconds(*dead - *seen.crossing);
  }
  if (seen.crossing && dead && seen.freed) {
    outcome.to_freed_ms = milliseconds(*seen.freed - *seen.crossing);
  }
}

}  // namespace

Result<FillOutcome> run_fill(DiskPlayers& players, const DiskRow& row, const DiskGround& ground) {
  const std::filesystem::path& filled =
      row.filesystem == FilledFilesystem::kNode ? ground.node : ground.image;
  EVICTD_ASSIGN_OR_RETURN(DiskActor filler, players.make_filler());
  EVICTD_ASSIGN_OR_RETURN(stage::DiskWitness witness, stage::watch_disk({filled, row.threshold()}));
  filler.process.go();
  const Result<stage::ChildExit> end = filler.process.child().wait(kTrialDeadline);
  FillOutcome outcome;
  outcome.killed = end && end->killed_by(SIGKILL);
  witness.hog_is_dead();
  if (outcome.killed) {
    players.remove_layer(filler);
  }
  const stage::DiskTestimony seen =
      witness.finish(outcome.killed ? Duration{kFreedPatience} : Duration{0});
  read_testimony(seen, outcome.killed ? std::optional{end->at} : std::nullopt, row, outcome);
  outcome.others_touched = !players.bystanders_untouched();
  EVICTD_TRY(players.remove(std::move(filler)));
  return outcome;
}

}  // namespace evictd::bench
