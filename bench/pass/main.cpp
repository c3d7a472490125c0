// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "evictd/try.h"
#include "harness/daemon_run.h"
#include "harness/idle_pods.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"
#include "pass/pass_times.h"

namespace evictd::bench {
namespace {

using nlohmann::json;

/// The pod root's limit, and a threshold that is always met, so that every pass ranks all pods and
/// evicts one.
constexpr Bytes kLimit = 1024_MiB;

struct Arguments {
  std::vector<int> pods{10, 110, 500, 1000};
  int passes = 40;
  std::filesystem::path out;
};

/// The conditions of passes.
struct Variant {
  /// With a threshold for each of the nine signals, or only for the met one.
  bool all_signals = false;
  /// Target of records: "memory", "file" (recordFile), "recording" (that and --record).
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

/// Thresholds that are never met, besides the one that always is. containerfs has the thresholds of
/// the filesystem that it is on.
json all_thresholds() {
  return {{"allocatableMemory.available", std::to_string(kLimit.value)},
          {"memory.available", "1Mi"},
          {"pid.available", "1"},
          {"nodefs.available", "1Mi"},
          {"nodefs.inodesFree", "1"},
          {"imagefs.available", "1Mi"},
          {"imagefs.inodesFree", "1"}};
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

struct Measured {
  /// Of an evictd, in microseconds: it makes the kernel flush all that the pods did so far, and it
  /// runs code that is in no cache.
  Series first;
  PassTimes later;
};

/// Creates a new tree of `pods` pods and runs passes while at least nine of ten pods are left.
Result<> measure(const Arguments& arguments, int pods, const Variant& variant, Measured& measured) {
  EVICTD_ASSIGN_OR_RETURN(PrivateGround own, PrivateGround::create());
  EVICTD_TRY(own.tree.limit_memory(kLimit));
  EVICTD_ASSIGN_OR_RETURN(ForkedProcesses idle, start_idle_pods(own.tree, pods));
  const std::filesystem::path programs = programs_directory();
  EVICTD_ASSIGN_OR_RETURN(const stage::DaemonProcess daemon,
                          start_daemon({.tree = own.tree,
                                        .programs = programs,
                                        .directory = own.scratch.path(),
                                        .threshold = kLimit,
                                        .more = config_of(variant, own.scratch.path()),
                                        .arguments = arguments_of(variant, own.scratch.path())}));
  const std::size_t enough = static_cast<std::size_t>(std::max(1, pods / 10));
  const std::size_t left = static_cast<std::size_t>(arguments.passes) - measured.later.whole.size();
  PassTimes taken;
  EVICTD_TRY(follow_passes(daemon, idle, 1 + std::min(enough, left), taken));
  measured.first.add(taken.whole.values().front());
  add_later(taken, measured.later);
  return {};
}

Result<> run_variant(const Arguments& arguments, int pods, const Variant& variant, Report& report) {
  Measured measured;
  const PassTimes& times = measured.later;
  while (times.whole.size() < static_cast<std::size_t>(arguments.passes)) {
    EVICTD_TRY(measure(arguments, pods, variant, measured));
  }
  const json params = variant.params(pods);
  report.add("first_pass", params, "us", measured.first);
  report.add("wake_to_pass", params, "us", times.taking_in);
  report.add("pass", params, "us", times.whole);
  report.add("read", params, "us", times.read);
  report.add("decide", params, "us", times.decide);
  report.add("wake_to_signal", params, "us", times.to_signal);
  return {};
}

Result<> run(const Arguments& arguments) {
  Report report{"pass"};
  report.note(
      "a pass runs from its first reading to the decision; all rows are refreshed and all pods "
      "ranked "
      "in it; wake_to_pass is what the hot thread does before it with what woke it, here the end "
      "of "
      "the victim before; stamps are evictd's own");
  report.note(
      "first_pass: the first one of each evictd, which no other row has; it makes the kernel flush "
      "what the pods did since they began");
  report.note(
      "signals: 9 has a threshold for each, none met but the one that is with 1; record: memory "
      "alone, a record file too, a recording of every pass too; wake_to_signal ends when the last "
      "signal was sent, so what writing records costs before the signal is the difference to "
      "memory");
  for (const int pods : arguments.pods) {
    for (const Variant& variant : variants()) {
      EVICTD_TRY(
          EVICTD_IN(variant.params(pods).dump(), run_variant(arguments, pods, variant, report)));
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
             add_counts(app, "--pods", arguments.pods, 2000, "numbers of pods");
             add_count(app, "--passes", arguments.passes, 100000, "passes a number of pods");
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
