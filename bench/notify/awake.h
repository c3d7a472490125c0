// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "evictd/result.h"
#include "harness/report.h"
#include "harness/selection.h"
#include "notify/listening.h"
#include "notify/reader.h"
#include "observer/observer.h"

namespace evictd::bench {

/// One row of the way from a crossing to an awake reader: evictd and, on cgroup v1, the kernel
/// itself, before the same hog.
struct AwakeRow {
  Notifier ours = Notifier::kService;
  bool realtime = false;
  /// Of each of the two, all on the hog's cgroup; one is crossed.
  int registrations = 1;

  /// "awake service fifo 1000"
  [[nodiscard]] std::string title() const;
};

/// Who waits for a hog: both for the same one, where each can delay the other, or one of them.
enum class Waiting { kBoth, kOurs, kTheirs };

/// Every row that `selection` wants; groups of the same number of registrations, which ascends.
[[nodiscard]] std::vector<std::vector<AwakeRow>> awake_rows(const Selection& selection);

/// What one trial showed; times run from the observer's crossing.
struct AwakeOutcome {
  /// Empty if the trial counts; else why it does not.
  std::string void_because;
  /// Nothing of who did not wait.
  std::optional<double> ours_us;
  std::optional<double> theirs_us;
};

/// All trials of a row.
struct AwakeResult {
  Series ours;
  Series theirs;
  std::map<std::string, int> voids;

  /// Whether the trial counts.
  bool add(const AwakeOutcome& outcome);
};

/// The kernel's registrations that are never crossed. They stay from row to row, because each takes
/// the kernel two grace periods, and so does its end, which goes on behind the scenes.
class KernelOthers {
 public:
  /// Registers more until there are `count`; nothing on cgroup v2. Errors: as Listening::add().
  Result<> grow(const PrivateGround& ground, int count);

 private:
  std::vector<base::Fd> eventfds_;
};

/// Who notifies and who is notified in one turn of a row. One thread uses it.
class AwakeScene {
 public:
  /// On cgroup v2 the kernel's side is left out. Errors: those of registering and of real-time
  /// priority.
  static Result<AwakeScene> set(const AwakeRow& row, Waiting waiting, const PrivateGround& ground,
                                const std::filesystem::path& programs);
  /// One hog over the threshold and its end. A trial is void where a reader or the observer saw no
  /// crossing. Errors: what stops the whole bench: no process.
  Result<AwakeOutcome> run_trial(PrivateGround& ground, const stage::StagedPod& pod,
                                 const std::filesystem::path& programs, Observer& observer,
                                 std::mt19937& random);

 private:
  /// One notifier with its crossed registration, and the others of evictd.
  struct Side {
    Listening listening;
    std::unique_ptr<Reader> reader;
    std::vector<base::Fd> others;
  };
  static Result<Side> set_side(Notifier notifier, const AwakeRow& row, const PrivateGround& ground,
                               const std::filesystem::path& programs);
  void forget();
  /// When each was awake first since forget(), as far as it waits.
  struct Woken {
    std::optional<MonoTime> ours;
    std::optional<MonoTime> theirs;
  };
  [[nodiscard]] Woken first(Duration timeout);
  [[nodiscard]] AwakeOutcome judge(const ObserverReading& seen, MonoTime let_go,
                                   const Woken& woken) const;

  std::optional<Side> ours_;
  std::optional<Side> theirs_;
};

/// Under what conditions all rows are measured.
struct AwakeConditions {
  int busy_loops = 0;
  /// Each has hogs of its own instead of one for both.
  bool apart = false;
};

/// Adds the rows of `result`, and the ratios of ours to theirs.
void report_awake(Report& report, const AwakeRow& row, const AwakeConditions& conditions,
                  const AwakeResult& result);

}  // namespace evictd::bench
