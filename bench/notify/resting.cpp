// SPDX-License-Identifier: Apache-2.0
#include "notify/resting.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "evictd/try.h"
#include "idle/rest.h"
#include "notify/listening.h"
#include "notify/registering.h"
#include "stage/load_process.h"

namespace evictd::bench {
namespace {

constexpr Bytes kParked = 64_MiB;
constexpr Bytes kBelow = 1_MiB;

/// Starts a pod that grows and then stays unchanged.
Result<stage::LoadProcess> park(PrivateGround& ground, const std::filesystem::path& programs) {
  EVICTD_ASSIGN_OR_RETURN(const stage::StagedPod pod, ground.tree.add_pod({.name = "parked"}));
  EVICTD_ASSIGN_OR_RETURN(stage::LoadProcess parked,
                          stage::LoadProcess::start(ground.tree, pod,
                                                    {.binary = programs / "evict-load",
                                                     .directory = ground.scratch.path(),
                                                     .cap = kParked.value}));
  parked.go();
  EVICTD_TRY(parked.await_holding(std::chrono::seconds{20}));
  return parked;
}

}  // namespace

Result<> measure_resting(int seconds, PrivateGround& ground, const std::filesystem::path& programs,
                         std::span<const std::filesystem::path> cgroups, Report& report) {
  EVICTD_ASSIGN_OR_RETURN(const Duration without, timers_without(seconds));
  Result<Listening> listening = Listening::start(Notifier::kService, ground, programs, false);
  std::vector<base::Fd> eventfds;
  EVICTD_TRY(listening ? register_far(*listening, cgroups, eventfds)
                       : tl::unexpected(listening.error()));
  std::optional<stage::LoadProcess> parked;
  for (const char* state : {"rest", "parked"}) {
    if (std::string_view{state} == "parked") {
      Result<stage::LoadProcess> made = park(ground, programs);
      const Result<Bytes> usage = ground.tree.usage();
      if (!made || !usage) {
        return tl::unexpected(made ? usage.error() : made.error());
      }
      parked = std::move(*made);
      EVICTD_TRY(listen_to(*listening,
                           {.directory = ground.tree.memory_directory(),
                            .first = *usage + kBelow,
                            .step = kBelow,
                            .count = 1},
                           eventfds));
    }
    EVICTD_ASSIGN_OR_RETURN(const Spent spent,
                            spend(seconds, listening->keeper().value_or(0), without));
    add_cpu_rows(
        report,
        {{"state", state}, {"registrations", kManyRegistrations}, {"cgroups", cgroups.size()}},
        spent, seconds);
  }
  return {};
}

}  // namespace evictd::bench
