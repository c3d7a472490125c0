// SPDX-License-Identifier: Apache-2.0
#include "notify/awake.h"

#include <array>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "evictd/try.h"
#include "stage/load_process.h"

namespace evictd::bench {
namespace {

using std::chrono::seconds;

/// Usage at the crossing, and how far the hog exceeds it: more than either side's batches.
constexpr Bytes kThreshold = 128_MiB;
constexpr Bytes kBeyond = 32_MiB;
/// The other thresholds, which are never reached.
constexpr Bytes kOthers = 256_MiB;
constexpr Bytes kStep = 64_KiB;
/// The hog gets there within a second; this limit covers a machine in trouble.
constexpr seconds kDeadline{10};
/// On the way down, a batch of the kernel may hide the crossing.
constexpr seconds kWayDown{2};
constexpr std::array kRegistrations{1, 100, 1000};

double microseconds(Duration duration) {
  return static_cast<double>(duration.count()) / 1000;
}

/// Starts trials at any point of the kernel's periods and of evictd's.
void pause_at_random(std::mt19937& random) {
  std::uniform_int_distribution<long> draw{0, 99'999'999};
  const timespec time{0, draw(random)};
  ::nanosleep(&time, nullptr);
}

double since(const std::optional<MonoTime>& woken, MonoTime crossed) {
  return microseconds(woken.value_or(crossed) - crossed);
}

/// The registrations that are never crossed, from number `first` to before number `end`.
Ladder others_of(const PrivateGround& ground, int first, int end) {
  return {.directory = ground.tree.memory_directory(),
          .first = kOthers + Bytes{first * kStep.value},
          .step = kStep,
          .count = end - first};
}

nlohmann::json params_of(const AwakeRow& row, const AwakeConditions& conditions) {
  return {{"form", name_of(row.ours)},
          {"priority", row.realtime ? "fifo" : "ordinary"},
          {"registrations", row.registrations},
          {"hogs", conditions.apart ? "own" : "shared"},
          {"busy_loops", conditions.busy_loops}};
}

void report_ratio(Report& report, const nlohmann::json& params, const AwakeResult& result,
                  const std::string& name, double percent) {
  const double theirs = result.theirs.percentile(percent);
  if (theirs > 0) {
    report.add("awake_vs_kernel_" + name, params, "ratio",
               result.ours.percentile(percent) / theirs);
  }
}

}  // namespace

std::string AwakeRow::title() const {
  return "awake " + std::string{name_of(ours)} + (realtime ? " fifo " : " ordinary ") +
         std::to_string(registrations);
}

std::vector<std::vector<AwakeRow>> awake_rows(const Selection& selection) {
  std::vector<std::vector<AwakeRow>> groups;
  for (const int registrations : kRegistrations) {
    std::vector<AwakeRow> rows;
    for (const Notifier ours : {Notifier::kService, Notifier::kInProcess}) {
      for (const bool realtime : {true, false}) {
        const AwakeRow row{.ours = ours, .realtime = realtime, .registrations = registrations};
        if (selection.wants(row.title())) {
          rows.push_back(row);
        }
      }
    }
    if (!rows.empty()) {
      groups.push_back(std::move(rows));
    }
  }
  return groups;
}

Result<> KernelOthers::grow(const PrivateGround& ground, int count) {
  const auto have = static_cast<int>(eventfds_.size());
  if (ground.tree.hierarchies().unified() || count <= have) {
    return {};
  }
  EVICTD_ASSIGN_OR_RETURN(Listening kernel, Listening::start(Notifier::kKernel, ground, {}, false));
  return listen_to(kernel, others_of(ground, have, count), eventfds_);
}

bool AwakeResult::add(const AwakeOutcome& outcome) {
  if (!outcome.void_because.empty()) {
    ++voids[outcome.void_because];
    return false;
  }
  if (outcome.ours_us) {
    ours.add(*outcome.ours_us);
  }
  if (outcome.theirs_us) {
    theirs.add(*outcome.theirs_us);
  }
  return true;
}

Result<AwakeScene::Side> AwakeScene::set_side(Notifier notifier, const AwakeRow& row,
                                              const PrivateGround& ground,
                                              const std::filesystem::path& programs) {
  Result<Listening> listening = Listening::start(notifier, ground, programs, row.realtime);
  Result<std::unique_ptr<Reader>> reader = Reader::start(row.realtime);
  if (!listening || !reader) {
    return tl::unexpected(listening ? reader.error() : listening.error());
  }
  Side side{.listening = std::move(*listening), .reader = std::move(*reader), .others = {}};
  if (notifier != Notifier::kKernel) {
    const Ladder ladder = others_of(ground, 0, row.registrations - 1);
    EVICTD_TRY(listen_to(side.listening, ladder, side.others));
  }
  EVICTD_TRY(
      side.listening.add(ground.tree.memory_directory(), kThreshold, side.reader->eventfd()));
  return side;
}

Result<AwakeScene> AwakeScene::set(const AwakeRow& row, Waiting waiting,
                                   const PrivateGround& ground,
                                   const std::filesystem::path& programs) {
  AwakeScene scene;
  if (waiting != Waiting::kTheirs) {
    EVICTD_ASSIGN_OR_RETURN(Side ours, set_side(row.ours, row, ground, programs));
    scene.ours_ = std::move(ours);
  }
  if (waiting != Waiting::kOurs && !ground.tree.hierarchies().unified()) {
    EVICTD_ASSIGN_OR_RETURN(Side theirs, set_side(Notifier::kKernel, row, ground, programs));
    scene.theirs_ = std::move(theirs);
  }
  return scene;
}

void AwakeScene::forget() {
  for (const std::optional<Side>* side : {&ours_, &theirs_}) {
    if (*side) {
      (*side)->reader->forget();
    }
  }
}

AwakeScene::Woken AwakeScene::first(Duration timeout) {
  Woken woken;
  if (ours_) {
    woken.ours = ours_->reader->first(timeout);
  }
  if (theirs_) {
    woken.theirs = theirs_->reader->first(timeout);
  }
  return woken;
}

AwakeOutcome AwakeScene::judge(const ObserverReading& seen, MonoTime let_go,
                               const Woken& woken) const {
  AwakeOutcome outcome;
  if (!seen.crossed) {
    outcome.void_because = "the observer saw no crossing";
  } else if (ours_ && !woken.ours) {
    outcome.void_because = "evictd's reader was not woken";
  } else if (theirs_ && !woken.theirs) {
    outcome.void_because = "the kernel's reader was not woken";
  } else if (*seen.crossed < let_go || (woken.ours && *woken.ours < let_go) ||
             (woken.theirs && *woken.theirs < let_go)) {
    outcome.void_because = "a crossing was seen before the hog started";
  } else {
    if (ours_) {
      outcome.ours_us = since(woken.ours, *seen.crossed);
    }
    if (theirs_) {
      outcome.theirs_us = since(woken.theirs, *seen.crossed);
    }
  }
  return outcome;
}

Result<AwakeOutcome> AwakeScene::run_trial(PrivateGround& ground, const stage::StagedPod& pod,
                                           const std::filesystem::path& programs,
                                           Observer& observer, std::mt19937& random) {
  Result<stage::LoadProcess> hog = stage::LoadProcess::start(ground.tree, pod,
                                                             {.binary = programs / "evict-load",
                                                              .directory = ground.scratch.path(),
                                                              .cap = (kThreshold + kBeyond).value});
  const Result<std::uint64_t> id = ground.tree.memory_id();
  if (!hog || !id) {
    return tl::unexpected(hog ? id.error() : hog.error());
  }
  pause_at_random(random);
  forget();
  // For both, a value crosses its threshold when it is at least as large.
  observer.arm({.memcg_id = *id, .level = kThreshold - Bytes{1}, .victim = hog->child().pid()});
  const MonoTime let_go{std::chrono::steady_clock::now().time_since_epoch()};
  hog->go();
  const Woken woken = first(kDeadline);
  const ObserverReading seen = observer.disarm();
  EVICTD_TRY(hog->await_holding(kDeadline));
  forget();
  hog = fail(Errc::kNotFound, "the trial is over");
  static_cast<void>(first(kWayDown));
  return judge(seen, let_go, woken);
}

void report_awake(Report& report, const AwakeRow& row, const AwakeConditions& conditions,
                  const AwakeResult& result) {
  const nlohmann::json params = params_of(row, conditions);
  nlohmann::json of_ours = params;
  of_ours["notifier"] = "evictd";
  report.add("crossing_to_awake", of_ours, "us", result.ours);
  if (result.theirs.size() != 0) {
    nlohmann::json of_theirs = params;
    of_theirs["notifier"] = "kernel";
    report.add("crossing_to_awake", of_theirs, "us", result.theirs);
    report_ratio(report, params, result, "p50", 50);
    report_ratio(report, params, result, "p99", 99);
  }
  for (const auto& [reason, count] : result.voids) {
    report.note(row.title() + ": " + std::to_string(count) + " void trials run again: " + reason);
  }
}

}  // namespace evictd::bench
