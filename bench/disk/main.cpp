// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "cast/random_pause.h"
#include "disk/players.h"
#include "disk/row.h"
#include "disk/trial.h"
#include "evictd/try.h"
#include "harness/interrupt.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"
#include "harness/trials.h"
#include "stage/daemon_process.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

struct RowResult {
  int trials = 0;
  int won = 0;
  int filled_up = 0;
  int others_touched = 0;
  Series to_dead;
  Series to_freed;
  Series past;
};

void add(RowResult& result, const FillOutcome& outcome) {
  ++result.trials;
  result.won += outcome.won() ? 1 : 0;
  result.filled_up += outcome.filled_up ? 1 : 0;
  result.others_touched += outcome.others_touched ? 1 : 0;
  result.past.add(outcome.past);
  if (outcome.to_dead_ms) {
    result.to_dead.add(*outcome.to_dead_ms);
  }
  if (outcome.to_freed_ms) {
    result.to_freed.add(*outcome.to_freed_ms);
  }
}

void report_row(Report& report, const DiskRow& row, const RowResult& result) {
  report.add("crossing_to_dead", row.params(), "ms", result.to_dead,
             {{"trials", result.trials},
              {"won", result.won},
              {"filled up", result.filled_up},
              {"others touched", result.others_touched}});
  report.add("crossing_to_freed", row.params(), "ms", result.to_freed);
  report.add("past_the_threshold", row.params(), row.unit(), result.past);
}

Result<stage::LoopFilesystem> make_disk(const std::filesystem::path& directory) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed) {
    return fail_errno(failed.value(), "make " + directory.string());
  }
  return stage::LoopFilesystem::create(
      {.directory = directory, .size = kDiskSize, .inodes = kDiskInodes});
}

Result<stage::DaemonProcess> start_evictd(const DiskRow& row, const DiskGround& ground) {
  std::error_code ignored;
  for (const std::filesystem::path& made :
       {ground.node / "kubelet", ground.node / "logs", ground.manifests()}) {
    std::filesystem::create_directories(made, ignored);
  }
  const std::filesystem::path config = ground.directory / "evictd.yaml";
  EVICTD_TRY(stage::replace_file(config, disk_config(row, ground)));
  return stage::DaemonProcess::start(
      {.binary = programs_directory() / "evictd", .config = config, .directory = ground.directory});
}

Result<RowResult> run_trials_of_row(DiskPlayers& players, const DiskRow& row,
                                    const DiskGround& ground, int trials) {
  std::mt19937 random{std::random_device{}()};
  RowResult result;
  const Result<> ran = run_trials(trials, [&]() -> Result<bool> {
    pause_in_period(row.mode, random);
    // The pause may have taken ten seconds, and a fill takes longer.
    EVICTD_TRY(Interrupt::check());
    EVICTD_ASSIGN_OR_RETURN(const FillOutcome outcome, run_fill(players, row, ground));
    add(result, outcome);
    return !outcome.others_touched;
  });
  return ran ? Result<RowResult>{std::move(result)} : tl::unexpected(ran.error());
}

/// Runs a row on its own filesystems, cgroups and evictd, all removed when it returns.
Result<RowResult> run_row(const DiskRow& row, int trials) {
  EVICTD_ASSIGN_OR_RETURN(PrivateGround own, PrivateGround::create());
  // Declared later, so that they are unmounted before their directory is removed.
  const Result<stage::LoopFilesystem> node = make_disk(own.scratch.path() / "node");
  const Result<stage::LoopFilesystem> image = make_disk(own.scratch.path() / "image");
  if (!node || !image) {
    return tl::unexpected(node ? image.error() : node.error());
  }
  const DiskGround ground{.cgroup_root = own.tree.cgroup_root(),
                          .directory = own.scratch.path(),
                          .node = node->path(),
                          .image = image->path()};
  DiskPlayers players{own.tree, row, ground};
  EVICTD_TRY(players.start_bystanders());
  EVICTD_ASSIGN_OR_RETURN(const stage::DaemonProcess daemon, start_evictd(row, ground));
  return run_trials_of_row(players, row, ground, trials);
}

Result<> run(const TrialOptions& options) {
  // Before any thread starts: mounts end with this process, however it exits.
  EVICTD_TRY(stage::own_mount_namespace());
  Report report{"disk"};
  report.note(
      "each row on two ext4 filesystems of 256 MiB and about 32768 inodes of its own, on loop "
      "devices: nodefs, and imagefs with containerfs; the threshold is at 96 MiB or 16384 inodes; "
      "a best-effort pod fills at full speed and ignores SIGTERM beside two pods with files; a row "
      "ends early with a trial in which one of these or its files were touched");
  report.note(
      "nothing is evictd's word: a witness asks the filesystem every 200 us how full it is; won: "
      "the filler was killed before there was less than 1 MiB or 64 inodes, and both others live "
      "and have all their bytes; freed on imagefs includes that the bench removes the dead pod's "
      "layer, as a container runtime does");
  const Result<> ran = run_rows(
      options.rows, disk_rows(), [](const DiskRow& row) { return row.title(); },
      [&](const DiskRow& row) -> Result<> {
        EVICTD_ASSIGN_OR_RETURN(const RowResult result, run_row(row, options.trials));
        report_row(report, row, result);
        return {};
      });
  return ran ? report.write(options.out) : ran;
}

int main_of(int argc, char** argv) {
  return run_trial_program(
      {.name = "disk",
       .purpose = "A pod that fills nodefs or imagefs, bytes or inodes: dead, freed, and how far "
                  "past the threshold; beside polling every 10 s",
       .trials = 20,
       .quick_trials = 2,
       .rows_are = "only rows with all of these words: evictd, evictd-poll, nodefs, "
                   "imagefs, bytes, inodes",
       .without_are = "no row with one of these words",
       .run = evictd::bench::run},
      argc, argv);
}

}  // namespace
}  // namespace evictd::bench

int main(int argc, char** argv) {
  return evictd::bench::main_of(argc, argv);
}
