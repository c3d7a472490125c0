// SPDX-License-Identifier: Apache-2.0
#include "cast/racing_daemon.h"

#include "cast/cast.h"
#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::bench {

std::string racing_config(const RacingDaemonOptions& options) {
  nlohmann::json config = {
      {"evictionHard", options.eviction_hard},
      // Otherwise a memory threshold would also apply to the pod root, which has no limit here.
      {"enforceNodeAllocatable", {"none"}},
      {"evictionPressureTransitionPeriod", "1s"},
      // Trials follow one another faster than a node's evictions should.
      {"maxEvictionsPerMinute", 0},
      {"eventSource", options.mode == EvictdMode::kPoll ? "poll" : "bpf"},
      {"memoryAvailableSource", options.memory_available_source},
      {"manifestDirectories", {options.manifests.string()}},
      {"cgroupRoot", options.cgroup_root},
      {"runtimeDirectory", options.directory.string()}};
  if (options.mode == EvictdMode::kBpf || options.mode == EvictdMode::kPoll) {
    config["hardEvictionGracePeriodSeconds"] = 0;
    // As in the other benches: what races is user space.
    config["inKernelBrake"] = "off";
  }
  if (options.mode == EvictdMode::kBpfBridge) {
    config["graceBridge"] = "memoryHigh";
  }
  // JSON is valid YAML.
  return config.dump(2) + "\n";
}

Result<stage::DaemonProcess> start_racing_daemon(const RacingDaemonOptions& options) {
  const std::filesystem::path path = options.directory / "evictd.yaml";
  EVICTD_TRY(stage::replace_file(path, racing_config(options)));
  EVICTD_ASSIGN_OR_RETURN(
      stage::DaemonProcess daemon,
      stage::DaemonProcess::start({options.programs / "evictd", path, options.directory}));
  EVICTD_TRY(set_oom_score_adj(daemon.pid(), kContestantScore));
  return daemon;
}

}  // namespace evictd::bench
