// SPDX-License-Identifier: Apache-2.0
#include "notify/resting.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "idle/rest.h"
#include "notify/listening.h"
#include "notify/registering.h"
#include "stage/load_process.h"

namespace evictd::bench {
namespace {

constexpr Bytes kParked = 64_MiB;
constexpr Bytes kBelow = 1_MiB;

/// A pod that has grown and stays as it is.
Result<stage::LoadProcess> park(PrivateGround& ground, const std::filesystem::path& programs) {
  const Result<stage::StagedPod> pod = ground.tree.add_pod({.name = "parked"});
  if (!pod) {
    return tl::unexpected(pod.error());
  }
  Result<stage::LoadProcess> parked = stage::LoadProcess::start(ground.tree, *pod,
                                                                {.binary = programs / "evict-load",
                                                                 .directory = ground.scratch.path(),
                                                                 .cap = kParked.value});
  if (!parked) {
    return parked;
  }
  parked->go();
  if (const Result<> held = parked->await_holding(std::chrono::seconds{20}); !held) {
    return tl::unexpected(held.error());
  }
  return parked;
}

}  // namespace

Result<> measure_resting(int seconds, PrivateGround& ground, const std::filesystem::path& programs,
                         std::span<const std::filesystem::path> cgroups, Report& report) {
  const Result<Duration> without = timers_without(seconds);
  if (!without) {
    return tl::unexpected(without.error());
  }
  Result<Listening> listening = Listening::start(Notifier::kService, ground, programs, false);
  std::vector<base::Fd> eventfds;
  Result<> listened =
      listening ? listen_far(*listening, cgroups, eventfds) : tl::unexpected(listening.error());
  if (!listened) {
    return listened;
  }
  std::optional<stage::LoadProcess> parked;
  for (const char* state : {"rest", "parked"}) {
    if (std::string_view{state} == "parked") {
      Result<stage::LoadProcess> made = park(ground, programs);
      const Result<Bytes> usage = ground.tree.usage();
      if (!made || !usage) {
        return tl::unexpected(made ? usage.error() : made.error());
      }
      parked = std::move(*made);
      Result<> near = listen_to(*listening,
                                {.directory = ground.tree.memory_directory(),
                                 .first = *usage + kBelow,
                                 .step = kBelow,
                                 .count = 1},
                                eventfds);
      if (!near) {
        return near;
      }
    }
    const Result<Spent> spent = spend(seconds, listening->keeper().value_or(0), *without);
    if (!spent) {
      return tl::unexpected(spent.error());
    }
    add_spent(
        report,
        {{"state", state}, {"registrations", kManyRegistrations}, {"cgroups", cgroups.size()}},
        *spent, seconds);
  }
  return {};
}

}  // namespace evictd::bench
