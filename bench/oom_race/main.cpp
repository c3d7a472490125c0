// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cast/cast.h"
#include "cast/random_pause.h"
#include "harness/interrupt.h"
#include "harness/machine.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"
#include "oom_race/contestant.h"
#include "oom_race/plan.h"
#include "oom_race/trial.h"
#include "oom_race/zram_swap.h"

namespace evictd::bench {
namespace {

constexpr Bytes kZramSize = 512_MiB;
/// Together they leave the hog about 400 MiB of a machine of 2 GiB, so that a trial takes seconds.
constexpr Holdings kHoldings{1280_MiB, 1408_MiB, 96_MiB, 128_MiB};
/// Never taken by the OOM killer, so that what it has made is removed whatever happens.
constexpr int kOwnScore = -1000;

struct Arguments {
  int trials = 20;
  Selection rows;
  std::filesystem::path out;
};

struct Race {
  PrivateGround own;
  Observer observer;
  Bytes capacity;
  MemoryWitness witness{};
  std::mt19937 random{std::random_device{}()};
  Report report{"oom_race"};
};

struct RaceResult {
  int trials = 0;
  int won = 0;
  int hog_evicted = 0;
  int hog_oom_killed = 0;
  int hog_survived = 0;
  int guaranteed_died = 0;
  int burstable_died = 0;
  std::int64_t oom_kills = 0;
  Series from_crossing;
  Series from_short;
  Series lowest_available;
  Series lowest_kubelet_available;
};

double mebibytes(Bytes bytes) {
  return static_cast<double>(bytes.value) / (1 << 20);
}

void add(RaceResult& result, const RaceOutcome& outcome) {
  ++result.trials;
  result.won += outcome.won() ? 1 : 0;
  result.hog_evicted += outcome.end == HogEnd::kEvicted ? 1 : 0;
  result.hog_oom_killed += outcome.end == HogEnd::kOomKilled ? 1 : 0;
  result.hog_survived += outcome.end == HogEnd::kSurvived ? 1 : 0;
  result.guaranteed_died += outcome.guaranteed_died ? 1 : 0;
  result.burstable_died += outcome.burstable_died ? 1 : 0;
  result.oom_kills += outcome.oom_kills;
  result.lowest_available.add(mebibytes(outcome.lowest_available));
  result.lowest_kubelet_available.add(mebibytes(outcome.lowest_kubelet_available));
  if (outcome.from_crossing_ms) {
    result.from_crossing.add(*outcome.from_crossing_ms);
  }
  if (outcome.from_short_ms) {
    result.from_short.add(*outcome.from_short_ms);
  }
}

Result<> run_row(Race& race, Cast& cast, const RaceRow& row, int trials, RaceResult& result) {
  if (Result<> filled = cast.fill_bystanders(); !filled) {
    return filled;
  }
  const Result<Contestant> contestant = Contestant::start(
      {row, race.own.tree, programs_directory(), race.own.scratch.path(), cast.manifests()});
  if (!contestant) {
    return tl::unexpected(contestant.error());
  }
  for (int trial = 0; trial < trials && !Interrupt::requested(); ++trial) {
    if (Result<> filled = cast.fill_bystanders(); !filled) {
      return filled;
    }
    if (row.racer == Racer::kEvictdPoll) {
      pause_in_period(EvictdMode::kPoll, race.random);
    }
    const Result<RaceOutcome> outcome =
        run_race(row, cast, race.observer, race.witness, race.capacity);
    if (!outcome) {
      return tl::unexpected(outcome.error());
    }
    add(result, *outcome);
  }
  return {};
}

void report_row(Report& report, const RaceRow& row, const RaceResult& result) {
  const nlohmann::json params = params_of(row);
  report.add("race", params, "ms", result.from_crossing,
             {{"trials", result.trials},
              {"won", result.won},
              {"hog evicted", result.hog_evicted},
              {"hog OOM-killed", result.hog_oom_killed},
              {"hog survived", result.hog_survived},
              {"guaranteed died", result.guaranteed_died},
              {"burstable died", result.burstable_died},
              {"OOM kills", result.oom_kills},
              {"lowest MemAvailable (MiB)", std::round(result.lowest_available.percentile(0))},
              {"lowest memory.available (MiB)",
               std::round(result.lowest_kubelet_available.percentile(0))}});
  report.add("short_to_death", params, "ms", result.from_short);
  report.add("lowest_available", params, "MiB", result.lowest_available);
  report.add("lowest_kubelet_available", params, "MiB", result.lowest_kubelet_available);
}

Result<> run_scene(Race& race, const std::vector<RaceRow>& rows, int trials) {
  std::optional<ZramSwap> swap;
  if (rows.front().scene.zram) {
    Result<ZramSwap> made = ZramSwap::start(kZramSize);
    if (!made) {
      return tl::unexpected(made.error());
    }
    swap.emplace(std::move(*made));
  }
  Cast cast{race.own.tree, programs_directory() / "evict-load", race.own.scratch.path(), kHoldings,
            race.capacity};
  for (const RaceRow& row : rows) {
    if (!is_installed(row.racer)) {
      const std::string missing = title_of(row) + ": NOT RUN, not installed on this machine";
      std::fprintf(stderr, "bench-oom_race: %s\n", missing.c_str());
      race.report.note(missing);
      continue;
    }
    RaceResult result;
    if (Result<> ran = run_row(race, cast, row, trials, result); !ran) {
      return fail_in(title_of(row), ran.error());
    }
    report_row(race.report, row, result);
    if (Interrupt::requested()) {
      return fail(Errc::kInvalid, "interrupted; nothing was written");
    }
  }
  return {};
}

Result<> run(const Arguments& arguments) {
  if (Result<> allowed = require_virtual_machine("oom_race", "memory"); !allowed) {
    return allowed;
  }
  if (Result<> scored = set_oom_score_adj(::getpid(), kOwnScore); !scored) {
    return scored;
  }
  ::mlockall(MCL_CURRENT | MCL_FUTURE);
  Result<PrivateGround> own = PrivateGround::create();
  Result<Observer> observer = Observer::create();
  const Result<Bytes> capacity = memory_total();
  if (!own || !observer || !capacity) {
    return tl::unexpected(!own ? own.error() : !observer ? observer.error() : capacity.error());
  }
  Race race{std::move(*own), std::move(*observer), *capacity};
  race.report.note(std::string{"observer: "} + race.observer.hook());
  for (const std::vector<RaceRow>& rows : race_plan(arguments.rows)) {
    if (Result<> ran = run_scene(race, rows, arguments.trials); !ran) {
      return ran;
    }
  }
  return race.report.write(arguments.out);
}

int main_of(int argc, char** argv) {
  Arguments arguments;
  return run_program(
      {.name = "oom_race",
       .purpose = "Who ends a hog before the kernel's OOM killer does: evictd beside its rivals",
       .add_options =
           [&](CLI::App& app) {
             app.add_option("--trials", arguments.trials, "trials a row")
                 ->check(CLI::Range(1, 100000));
             app.add_option(
                 "--rows", arguments.rows.with,
                 "only rows whose title has all of these words: evictd evictd-grace evictd-floor "
                 "evictd-poll earlyoom nohang oomd systemd-oomd, 100MiB/s 300MiB/s full, 4k thp, "
                 "100Mi 5%, "
                 "noswap zram");
             app.add_option("--without", arguments.rows.without,
                            "no row whose title has one of these words");
           },
       .quick_means = "2 trials a row",
       .be_quick = [&] { arguments.trials = 2; },
       .run =
           [&](const std::filesystem::path& out) {
             arguments.out = out;
             return evictd::bench::run(arguments);
           }},
      argc, argv);
}

}  // namespace
}  // namespace evictd::bench

int main(int argc, char** argv) {
  return evictd::bench::main_of(argc, argv);
}
