// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evictd/try.h"
#include "fault/armed_brake.h"
#include "fault/fault_meter.h"
#include "fault/fault_states.h"
#include "harness/daemon_run.h"
#include "harness/private_ground.h"
#include "harness/program.h"
#include "harness/report.h"
#include "stage/load_process.h"

namespace evictd::bench {
namespace {

constexpr Bytes kLimit = 1024_MiB;
/// The threshold's available memory, which puts the threshold at 256 MiB of usage.
constexpr Bytes kThreshold = 768_MiB;
/// Distance of the meter from the threshold in the near state, with its region touched. The per-CPU
/// stock of two CPUs is up to half a MiB; fast ticks begin 4 MiB below.
constexpr Bytes kDistance = 1_MiB;
/// How far the meter's region reaches past the threshold in the oscillating state. The rest of it
/// is more than the hysteresis of 1 MiB, so that each turn crosses up and down.
constexpr Bytes kCrossedBy = 1_MiB;
/// A threshold that is not met in the oscillating state, in which the crossed one is soft.
constexpr Bytes kNeverMet = 1_MiB;
/// Measured charge of evict-load itself and the page tables of its memory.
constexpr Bytes kOwnPages = 640_KiB;

struct Arguments {
  int rounds = 160;
  int turns = 100;
  std::filesystem::path out;
};

bool has_ballast(FaultState state) {
  return state == FaultState::kNear || state == FaultState::kOscillating ||
         state == FaultState::kBrakeArmed;
}

/// Usage of the pod root with the meter's region touched.
Bytes top_of(FaultState state) {
  const Bytes level = kLimit - kThreshold;
  return state == FaultState::kOscillating ? level + kCrossedBy : level - kDistance;
}

/// A threshold that is crossed again and again must not evict.
nlohmann::json soft_threshold() {
  const std::string signal = "allocatableMemory.available";
  return {{"evictionSoft", {{signal, std::to_string(kThreshold.value)}}},
          {"evictionSoftGracePeriod", {{signal, "1h"}}}};
}

struct Pods {
  stage::StagedPod meter;
  stage::StagedPod ballast;
};

/// A private tree with a meter, beside evictd in all states but nothing again, and beside evictd's
/// kernel side alone with the brake armed.
class PodRoot final : public FaultSubject {
 public:
  PodRoot(PrivateGround ground, FaultMeter meter, Pods pods, int turns)
      : ground_(std::move(ground)),
        meter_(std::move(meter)),
        pods_(std::move(pods)),
        turns_(turns) {}

  Result<> prepare(FaultState state) override {
    ballast_.reset();
    return has_ballast(state) ? add_ballast(top_of(state)) : Result<>{};
  }

  Result<> attach(FaultState state) override {
    if (state == FaultState::kNothingAgain) {
      return {};
    }
    if (state == FaultState::kBrakeArmed) {
      return arm_brake();
    }
    const bool soft = state == FaultState::kOscillating;
    EVICTD_ASSIGN_OR_RETURN(
        stage::DaemonProcess started,
        start_daemon({.tree = ground_.tree,
                      .programs = programs_directory(),
                      .directory = ground_.scratch.path(),
                      .threshold = soft ? kNeverMet : kThreshold,
                      .more = soft ? soft_threshold() : nlohmann::json::object()}));
    daemon_ = std::move(started);
    return {};
  }

  Result<> detach() override {
    brake_.reset();
    if (daemon_) {
      static_cast<void>(daemon_->stop());
      daemon_.reset();
    }
    return {};
  }

  Result<double> measure() override { return meter_.measure(turns_); }

  /// Near a threshold evictd evicts the ballast if usage crosses after all; then it is far.
  [[nodiscard]] bool holds() const override { return !ballast_ || ballast_->child().lives(); }

 private:
  /// Adds memory, so that the pod root's usage is `top` once the meter has touched its region.
  Result<> add_ballast(Bytes top) {
    EVICTD_ASSIGN_OR_RETURN(const Bytes usage, ground_.tree.usage());
    stage::LoadOptions load;
    load.binary = programs_directory() / "evict-load";
    load.directory = ground_.scratch.path();
    load.cap = (top - usage - kMeterRegion - kOwnPages).value;
    EVICTD_ASSIGN_OR_RETURN(stage::LoadProcess ballast,
                            stage::LoadProcess::start(ground_.tree, pods_.ballast, load));
    ballast.go();
    EVICTD_TRY(ballast.await_holding(std::chrono::seconds{20}));
    ballast_ = std::move(ballast);
    return {};
  }

  /// The ballast is the larger of the two pods, so the one to be killed.
  Result<> arm_brake() {
    EVICTD_ASSIGN_OR_RETURN(ArmedBrake armed, ArmedBrake::arm({.tree = ground_.tree,
                                                               .victim = pods_.ballast,
                                                               .process = ballast_->child().pid(),
                                                               .rival = pods_.meter,
                                                               .level = kLimit - kThreshold}));
    brake_ = std::move(armed);
    return {};
  }

  PrivateGround ground_;
  FaultMeter meter_;
  Pods pods_;
  int turns_;
  std::optional<stage::LoadProcess> ballast_;
  std::optional<stage::DaemonProcess> daemon_;
  std::optional<ArmedBrake> brake_;
};

Result<> run(const Arguments& arguments) {
  EVICTD_ASSIGN_OR_RETURN(PrivateGround own, PrivateGround::create());
  const Result<> limited = own.tree.limit_memory(kLimit);
  const Result<stage::StagedPod> pod = own.tree.add_pod({.name = "meter"});
  const Result<stage::StagedPod> ballast = own.tree.add_pod({.name = "ballast"});
  if (!limited || !pod || !ballast) {
    return fail(Errc::kIo, "cannot create the private tree's pods or limit");
  }
  EVICTD_ASSIGN_OR_RETURN(FaultMeter meter, FaultMeter::start(own.tree, *pod));
  PodRoot subject{
      std::move(own), std::move(meter), {.meter = *pod, .ballast = *ballast}, arguments.turns};
  EVICTD_ASSIGN_OR_RETURN(
      const std::vector<FaultBlocks> blocks,
      measure_states(arguments.rounds,
                     {FaultState::kNothingAgain, FaultState::kFar, FaultState::kNear,
                      FaultState::kOscillating, FaultState::kBrakeArmed},
                     subject));
  Report report{"fault"};
  report.note(
      "a block is measured with nothing, twice with the state, and with nothing; overhead is of "
      "the "
      "two means of a block, and the interval is that of the median of all blocks; near: the load "
      "ends 1 MiB below a threshold; oscillating: each 768 faults cross a soft threshold, and then "
      "the memory is returned; brake-armed: as near, with the kernel side alone and a plan to kill "
      "that is armed all the time");
  report_states(report, blocks, {.state = "attached", .overhead = "overhead", .params = {}});
  return report.write(arguments.out);
}

int main_of(int argc, char** argv) {
  Arguments arguments;
  return run_program(
      {.name = "fault",
       .purpose =
           "Cost of a page fault far from a threshold, near one, across one, and with an armed "
           "brake, beside nothing attached",
       .add_options =
           [&](CLI::App& app) {
             add_count(app, "--rounds", arguments.rounds, 10000,
                       "each measures a block of every state");
             add_count(app, "--turns", arguments.turns, 10000, "turns of 768 faults a measurement");
           },
       .quick_means = "2 rounds, 10 turns",
       .be_quick =
           [&] {
             arguments.rounds = 2;
             arguments.turns = 10;
           },
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
