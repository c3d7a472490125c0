// SPDX-License-Identifier: Apache-2.0
#include "notify/faults.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "evictd/try.h"
#include "fault/fault_meter.h"
#include "fault/fault_states.h"
#include "notify/listening.h"
#include "notify/registering.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

namespace fs = std::filesystem;

/// Distance of the meter from the nearest threshold of each cgroup, with its region touched. The
/// per-CPU stock of two CPUs is up to half a MiB; fast ticks begin 4 MiB below.
constexpr Bytes kNearDistance = 1_MiB;
constexpr Bytes kFarDistance = 256_MiB;
constexpr Bytes kStep = 64_KiB;

/// The container's memory cgroup and its ancestors, up to the pod root.
std::vector<fs::path> cgroups_of(const PrivateGround& ground, const stage::StagedPod& pod) {
  std::vector<fs::path> cgroups;
  const fs::path root = ground.tree.memory_directory();
  fs::path at = ground.tree.hierarchies().memory / pod.container;
  while (at != root && at.has_relative_path()) {
    cgroups.push_back(at);
    at = at.parent_path();
  }
  cgroups.push_back(root);
  return cgroups;
}

struct Bench {
  FaultOptions options;
  PrivateGround& ground;
  const fs::path& programs;
  FaultMeter meter;
  std::vector<fs::path> cgroups;
};

/// Registers the same number of thresholds on each cgroup. The nearest is `distance` above the
/// cgroup's usage with the meter's region touched.
Result<> listen(Bench& bench, Listening& listening, Bytes distance,
                std::vector<base::Fd>& eventfds) {
  const char* file = bench.ground.tree.hierarchies().usage_file();
  const auto levels = static_cast<int>(bench.cgroups.size());
  for (int level = 0; level < levels; ++level) {
    const fs::path& directory = bench.cgroups[static_cast<std::size_t>(level)];
    const Result<std::int64_t> usage =
        stage::read_text(directory / file).and_then([](const std::string& text) {
          return stage::parse_number(text);
        });
    if (!usage) {
      return tl::unexpected(usage.error());
    }
    const int share = kManyRegistrations / levels + (level < kManyRegistrations % levels ? 1 : 0);
    EVICTD_TRY(listen_to(listening,
                         {.directory = directory,
                          .first = Bytes{*usage} + kMeterRegion + distance,
                          .step = kStep,
                          .count = share},
                         eventfds));
  }
  return {};
}

Result<double> measure(Bench& bench, FaultState state) {
  std::optional<Listening> listening;
  std::vector<base::Fd> eventfds;
  if (state == FaultState::kFar || state == FaultState::kNear) {
    EVICTD_ASSIGN_OR_RETURN(Listening started, Listening::start(Notifier::kService, bench.ground,
                                                                bench.programs, false));
    listening = std::move(started);
    const Bytes distance = state == FaultState::kNear ? kNearDistance : kFarDistance;
    EVICTD_TRY(listen(bench, *listening, distance, eventfds));
  }
  return bench.meter.measure(bench.options.turns);
}

}  // namespace

Result<> measure_faults(const FaultOptions& options, PrivateGround& ground,
                        const fs::path& programs, Report& report) {
  EVICTD_ASSIGN_OR_RETURN(const stage::StagedPod pod, ground.tree.add_pod({.name = "meter"}));
  EVICTD_ASSIGN_OR_RETURN(FaultMeter meter, FaultMeter::start(ground.tree, pod));
  Bench bench{.options = options,
              .ground = ground,
              .programs = programs,
              .meter = std::move(meter),
              .cgroups = cgroups_of(ground, pod)};
  const Result<FaultTimes> ns =
      measure_states(options.rounds, [&](FaultState state) { return measure(bench, state); });
  if (!ns) {
    return tl::unexpected(ns.error());
  }
  report_states(
      report, *ns,
      {.state = "registered",
       .overhead = "fault_overhead",
       .params = {{"registrations", kManyRegistrations}, {"cgroups", bench.cgroups.size()}}});
  return {};
}

}  // namespace evictd::bench
