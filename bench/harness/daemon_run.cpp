// SPDX-License-Identifier: Apache-2.0
#include "harness/daemon_run.h"

#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::bench {

std::string bench_config(const DaemonRunOptions& options) {
  nlohmann::json config = {
      {"evictionHard", {{"allocatableMemory.available", std::to_string(options.threshold.value)}}},
      {"hardEvictionGracePeriodSeconds", 0},
      {"inKernelBrake", "off"},
      {"evictionPressureTransitionPeriod", "1s"},
      {"evictUnknownPods", true},
      {"maxEvictionsPerMinute", 0},
      {"eventSource", "bpf"},
      {"cgroupRoot", options.tree.cgroup_root()},
      {"runtimeDirectory", options.directory.string()}};
  config.update(options.more);
  // JSON is valid YAML.
  return config.dump(2) + "\n";
}

Result<stage::DaemonProcess> start_daemon(const DaemonRunOptions& options) {
  const std::filesystem::path path = options.directory / "evictd.yaml";
  EVICTD_TRY(stage::replace_file(path, bench_config(options)));
  return stage::DaemonProcess::start({.binary = options.programs / "evictd",
                                      .config = path,
                                      .directory = options.directory,
                                      .arguments = options.arguments});
}

}  // namespace evictd::bench
