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

/// One row of the latency from a crossing to a woken reader. Compares evictd and, on cgroup v1, the
/// kernel itself on the same hog.
struct AwakeRow {
  Notifier ours = Notifier::kService;
  bool realtime = false;
  /// Number of registrations of each of the two, all on the hog's cgroup; one is crossed.
  int registrations = 1;

  /// "awake service fifo 1000"
  [[nodiscard]] std::string title() const;
};

/// The readers that wait for a hog: both for the same one, where each can delay the other, or only
/// one.
enum class Waiting { kBoth, kOurs, kTheirs };

/// Every row that `selection` matches, grouped by number of registrations, ascending.
[[nodiscard]] std::vector<std::vector<AwakeRow>> awake_rows(const Selection& selection);

/// Results of one trial; times start at the observer's crossing.
struct AwakeOutcome {
  /// Why the trial is void; empty if it counts.
  std::string void_because;
  /// nullopt for a reader that did not wait.
  std::optional<double> ours_us;
  std::optional<double> theirs_us;
};

/// All trials of a row.
struct AwakeResult {
  Series ours;
  Series theirs;
  std::map<std::string, int> voids;

  /// Returns whether the trial counts.
  bool add(const AwakeOutcome& outcome);
};

/// Kernel registrations that are never crossed. They stay from row to row: creating or ending one
/// costs the kernel two grace periods, and ending continues in the background.
class KernelOthers {
 public:
  /// Registers more until there are `count`; does nothing on cgroup v2. Errors: as
  /// Listening::add().
  Result<> grow(const PrivateGround& ground, int count);

 private:
  std::vector<base::Fd> eventfds_;
};

/// The notifiers and readers of one turn of a row. One thread uses it.
class AwakeScene {
 public:
  /// Omits the kernel's side on cgroup v2. Errors: those of registering and of real-time priority.
  static Result<AwakeScene> set(const AwakeRow& row, Waiting waiting, const PrivateGround& ground,
                                const std::filesystem::path& programs);
  /// Runs one hog over the threshold until its death. The trial is void if a reader or the observer
  /// saw no crossing. Errors: those that stop the whole bench: no process.
  Result<AwakeOutcome> run_trial(PrivateGround& ground, const stage::StagedPod& pod,
                                 const std::filesystem::path& programs, Observer& observer,
                                 std::mt19937& random);

 private:
  /// A notifier with the crossed registration and evictd's other ones.
  struct Side {
    Listening listening;
    std::unique_ptr<Reader> reader;
    std::vector<base::Fd> others;
  };
  static Result<Side> set_side(Notifier notifier, const AwakeRow& row, const PrivateGround& ground,
                               const std::filesystem::path& programs);
  void forget();
  /// First wake of each waiting reader since forget().
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

/// The conditions of all rows.
struct AwakeConditions {
  int busy_loops = 0;
  /// Each reader gets its own hogs instead of sharing one.
  bool apart = false;
};

/// Adds the rows of `result`, and the ratios of evictd to the kernel.
void report_awake(Report& report, const AwakeRow& row, const AwakeConditions& conditions,
                  const AwakeResult& result);

}  // namespace evictd::bench
