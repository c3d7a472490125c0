// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/daemon_run.h"
#include "harness/idle_pods.h"
#include "harness/interrupt.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"

namespace evictd::bench {
namespace {

using nlohmann::json;

/// The pod root's limit, and a threshold that is always met, so that every pass ranks all pods and
/// takes one.
constexpr Bytes kLimit = 1024_MiB;
/// Between two looks at evictd's records, of which it keeps the last ten at hand.
constexpr long kLookNs = 2'000'000;
constexpr std::chrono::seconds kDeadline{120};

struct Arguments {
  std::vector<int> pods{10, 110, 500, 1000};
  int passes = 40;
  std::filesystem::path out;
};

/// Under which conditions passes are run.
struct Variant {
  /// With a threshold for each of the nine signals, or for the one that is met.
  bool all_signals = false;
  /// Where records are written: "memory", "file" (recordFile), "recording" (that and --record).
  std::string record = "memory";

  [[nodiscard]] json params(int pods) const {
    return {{"pods", pods}, {"signals", all_signals ? 9 : 1}, {"record", record}};
  }
};

std::vector<Variant> variants() {
  return {{.all_signals = false, .record = "memory"},
          {.all_signals = true, .record = "memory"},
          {.all_signals = true, .record = "file"},
          {.all_signals = true, .record = "recording"}};
}

/// Microseconds of one pass, from the wake of the hot thread.
struct PassTimes {
  Series read;
  Series decide;
  Series whole;
  /// To the return of the last signal call: all that writing records could delay.
  Series to_signal;
};

/// Thresholds that are never met beside the one that always is. containerfs has those of the
/// filesystem that it is on.
json all_thresholds() {
  return {{"allocatableMemory.available", std::to_string(kLimit.value)},
          {"memory.available", "1Mi"},
          {"pid.available", "1"},
          {"nodefs.available", "1Mi"},
          {"nodefs.inodesFree", "1"},
          {"imagefs.available", "1Mi"},
          {"imagefs.inodesFree", "1"}};
}

std::optional<double> between_us(const json& timeline, const char* from, const char* to) {
  const json start = timeline.value(from, json{});
  const json end = timeline.value(to, json{});
  if (!start.is_number_integer() || !end.is_number_integer()) {
    return std::nullopt;
  }
  return static_cast<double>(end.get<std::int64_t>() - start.get<std::int64_t>()) / 1000;
}

void take(PassTimes& times, const json& timeline) {
  const std::optional<double> read = between_us(timeline, "wake_ns", "observe_ns");
  const std::optional<double> decide = between_us(timeline, "observe_ns", "decide_ns");
  const std::optional<double> to_signal = between_us(timeline, "wake_ns", "signal_ns");
  if (read && decide && to_signal) {
    times.read.add(*read);
    times.decide.add(*decide);
    times.whole.add(*read + *decide);
    times.to_signal.add(*to_signal);
  }
}

/// Follows the evictions of a running daemon until `wanted` passes are seen or it has no pod left.
Result<> follow(const stage::DaemonProcess& daemon, IdlePods& idle, std::size_t wanted,
                PassTimes& times) {
  std::set<std::uint64_t> seen;
  const auto deadline = std::chrono::steady_clock::now() + kDeadline;
  while (times.whole.size() < wanted) {
    idle.reap();
    const Result<std::string> answer = daemon.ask(R"({"op":"last_evictions"})");
    if (!answer) {
      return tl::unexpected(answer.error());
    }
    for (const json& eviction : json::parse(*answer, nullptr, false)) {
      if (seen.insert(eviction.value("id", std::uint64_t{0})).second) {
        take(times, eviction.value("timeline", json::object()));
      }
    }
    if (Interrupt::requested()) {
      return fail(Errc::kBusy, "interrupted; nothing is written");
    }
    if (std::chrono::steady_clock::now() > deadline) {
      return fail(Errc::kTimedOut, "evictd made only " + std::to_string(times.whole.size()) +
                                       " evictions; its log: " + daemon.log().string());
    }
    const timespec pause{0, kLookNs};
    ::nanosleep(&pause, nullptr);
  }
  return {};
}

json config_of(const Variant& variant, const std::filesystem::path& scratch) {
  json config = json::object();
  if (variant.all_signals) {
    config["evictionHard"] = all_thresholds();
  }
  if (variant.record != "memory") {
    config["recordFile"] = (scratch / "records").string();
  }
  return config;
}

std::vector<std::string> arguments_of(const Variant& variant,
                                      const std::filesystem::path& scratch) {
  if (variant.record != "recording") {
    return {};
  }
  return {"--record", (scratch / "recording").string()};
}

/// A fresh tree of `pods` pods; passes are taken while at least nine of ten are left.
Result<> measure(const Arguments& arguments, int pods, const Variant& variant, PassTimes& times) {
  Result<PrivateGround> own = PrivateGround::create();
  if (!own) {
    return tl::unexpected(own.error());
  }
  if (Result<> limited = own->tree.limit_memory(kLimit); !limited) {
    return limited;
  }
  Result<IdlePods> idle = IdlePods::start(own->tree, pods);
  if (!idle) {
    return tl::unexpected(idle.error());
  }
  const std::filesystem::path programs = programs_directory();
  const Result<stage::DaemonProcess> daemon =
      start_daemon({.tree = own->tree,
                    .programs = programs,
                    .directory = own->scratch.path(),
                    .threshold = kLimit,
                    .more = config_of(variant, own->scratch.path()),
                    .arguments = arguments_of(variant, own->scratch.path())});
  if (!daemon) {
    return tl::unexpected(daemon.error());
  }
  const std::size_t enough = static_cast<std::size_t>(std::max(1, pods / 10));
  const std::size_t left = static_cast<std::size_t>(arguments.passes) - times.whole.size();
  return follow(*daemon, *idle, times.whole.size() + std::min(enough, left), times);
}

Result<> run_variant(const Arguments& arguments, int pods, const Variant& variant, Report& report) {
  PassTimes times;
  while (times.whole.size() < static_cast<std::size_t>(arguments.passes)) {
    if (Result<> measured = measure(arguments, pods, variant, times); !measured) {
      return measured;
    }
  }
  const json params = variant.params(pods);
  report.add("pass", params, "us", times.whole);
  report.add("read", params, "us", times.read);
  report.add("decide", params, "us", times.decide);
  report.add("wake_to_signal", params, "us", times.to_signal);
  return {};
}

Result<> run(const Arguments& arguments) {
  Report report{"pass"};
  report.note(
      "a pass runs from the wake of the hot thread to the decision; all rows are refreshed and all "
      "pods ranked in it; stamps are evictd's own");
  report.note(
      "signals: 9 has a threshold for each, none met but the one that is with 1; record: memory "
      "alone, a record file too, a recording of every pass too; wake_to_signal ends when the last "
      "signal was sent, so what writing records costs before the signal is the difference to "
      "memory");
  for (const int pods : arguments.pods) {
    for (const Variant& variant : variants()) {
      if (Result<> added = run_variant(arguments, pods, variant, report); !added) {
        return fail_in(variant.params(pods).dump(), added.error());
      }
    }
  }
  return report.write(arguments.out);
}

int main_of(int argc, char** argv) {
  Arguments arguments;
  return run_program(
      {.name = "pass",
       .purpose = "One full pass of evictd by number of pods, of signals and by where records go",
       .add_options =
           [&](CLI::App& app) {
             app.add_option("--pods", arguments.pods, "numbers of pods")
                 ->check(CLI::Range(1, 2000));
             app.add_option("--passes", arguments.passes, "passes a number of pods")
                 ->check(CLI::Range(1, 100000));
           },
       .quick_means = "5 passes",
       .be_quick = [&] { arguments.passes = 5; },
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
