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

/// Nothing is listened to until it is attached.
class Cgroups final : public FaultSubject {
 public:
  Cgroups(const FaultOptions& options, PrivateGround& ground, const fs::path& programs,
          FaultMeter meter, std::vector<fs::path> directories)
      : options_(options),
        ground_(ground),
        programs_(programs),
        meter_(std::move(meter)),
        directories_(std::move(directories)) {}

  Result<> prepare(FaultState /*state*/) override { return {}; }

  Result<> attach(FaultState state) override {
    if (state == FaultState::kNothingAgain) {
      return {};
    }
    EVICTD_ASSIGN_OR_RETURN(Listening started,
                            Listening::start(Notifier::kService, ground_, programs_, false));
    listening_ = std::move(started);
    return listen(state == FaultState::kNear ? kNearDistance : kFarDistance);
  }

  Result<> detach() override {
    listening_.reset();
    eventfds_.clear();
    return {};
  }

  Result<double> measure() override { return meter_.measure(options_.turns); }
  [[nodiscard]] bool holds() const override { return true; }

 private:
  /// Registers the same number of thresholds on each cgroup. The nearest is `distance` above the
  /// cgroup's usage with the meter's region touched.
  Result<> listen(Bytes distance) {
    const char* file = ground_.tree.hierarchies().usage_file();
    const auto levels = static_cast<int>(directories_.size());
    for (int level = 0; level < levels; ++level) {
      const fs::path& directory = directories_[static_cast<std::size_t>(level)];
      const Result<std::int64_t> usage =
          stage::read_text(directory / file).and_then([](const std::string& text) {
            return stage::parse_number(text);
          });
      if (!usage) {
        return tl::unexpected(usage.error());
      }
      const int share = kManyRegistrations / levels + (level < kManyRegistrations % levels ? 1 : 0);
      EVICTD_TRY(listen_to(*listening_,
                           {.directory = directory,
                            .first = Bytes{*usage} + kMeterRegion + distance,
                            .step = kStep,
                            .count = share},
                           eventfds_));
    }
    return {};
  }

  const FaultOptions& options_;
  PrivateGround& ground_;
  const fs::path& programs_;
  FaultMeter meter_;
  std::vector<fs::path> directories_;
  std::vector<base::Fd> eventfds_;
  std::optional<Listening> listening_;
};

}  // namespace

Result<> measure_faults(const FaultOptions& options, PrivateGround& ground,
                        const fs::path& programs, Report& report) {
  EVICTD_ASSIGN_OR_RETURN(const stage::StagedPod pod, ground.tree.add_pod({.name = "meter"}));
  EVICTD_ASSIGN_OR_RETURN(FaultMeter meter, FaultMeter::start(ground.tree, pod));
  Cgroups subject{options, ground, programs, std::move(meter), cgroups_of(ground, pod)};
  const std::size_t cgroups = cgroups_of(ground, pod).size();
  EVICTD_ASSIGN_OR_RETURN(
      const std::vector<FaultBlocks> blocks,
      measure_states(options.rounds,
                     {FaultState::kNothingAgain, FaultState::kFar, FaultState::kNear}, subject));
  report_states(report, blocks,
                {.state = "registered",
                 .overhead = "fault_overhead",
                 .params = {{"registrations", kManyRegistrations}, {"cgroups", cgroups}}});
  return {};
}

}  // namespace evictd::bench
