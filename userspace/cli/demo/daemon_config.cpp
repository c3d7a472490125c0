// SPDX-License-Identifier: Apache-2.0
#include "demo/daemon_config.h"

#include <nlohmann/json.hpp>

namespace evictd::demo {
namespace {

using nlohmann::ordered_json;

void add_thresholds(ordered_json& config, const DaemonConfigInput& input) {
  const std::string headroom = std::to_string(input.sizes.headroom.value);
  const std::int64_t grace = grace_seconds_of(input.options);
  switch (input.options.scenario) {
    case Scenario::kTmpfs:
      config["kubeletRootDirectory"] = (input.directory / "kubelet").string();
      [[fallthrough]];
    case Scenario::kMemory:
      config["evictionHard"] = {{"allocatableMemory.available", headroom}};
      config["hardEvictionGracePeriodSeconds"] = grace;
      return;
    case Scenario::kSoft:
      // Without a hard threshold the kubelet's defaults would apply to the whole node.
      config["evictionHard"] = {{"allocatableMemory.available", "1Mi"}};
      config["evictionSoft"] = {{"allocatableMemory.available", headroom}};
      config["evictionSoftGracePeriod"] = {
          {"allocatableMemory.available", std::to_string(kSoftGraceSeconds) + "s"}};
      config["evictionMaxPodGracePeriod"] = grace;
      return;
    case Scenario::kPids:
      config["evictionHard"] = {{"pid.available", std::to_string(input.sizes.tasks_headroom)}};
      config["pidAvailableSource"] = "podRoot";
      config["hardEvictionGracePeriodSeconds"] = grace;
      return;
    case Scenario::kDisk:
      config["evictionHard"] = {
          {"nodefs.available", std::to_string(input.sizes.disk_headroom.value)}};
      config["hardEvictionGracePeriodSeconds"] = grace;
      return;
    case Scenario::kInodes:
      config["evictionHard"] = {{"nodefs.inodesFree", std::to_string(input.sizes.inodes_headroom)}};
      config["hardEvictionGracePeriodSeconds"] = grace;
      return;
    case Scenario::kEmptyDir:
      // The compatibility version sets the grace of local storage.
      config["evictionHard"] = {{"nodefs.available", "1Mi"}};
      config["podStorage"] = {{"interval", "200ms"}};
      return;
  }
}

void add_disk(ordered_json& config, const std::filesystem::path& disk) {
  config["nodefsPath"] = disk.string();
  config["imagefsPath"] = disk.string();
  config["containerfsPath"] = disk.string();
  config["kubeletRootDirectory"] = (disk / "kubelet").string();
  config["podLogsDir"] = (disk / "logs").string();
  config["evictedPodData"] = "removeEmptyDirs";
}

}  // namespace

std::int64_t grace_seconds_of(const DemoOptions& options) {
  if (options.scenario == Scenario::kEmptyDir) {
    return kLocalStorageGraceSeconds;
  }
  return options.grace_seconds.value_or(options.scenario == Scenario::kSoft ? 1 : 0);
}

std::filesystem::path record_file_of(const DemoOptions& options,
                                     const std::filesystem::path& directory) {
  if (!options.record.empty()) {
    return std::filesystem::absolute(options.record).lexically_normal().string() + ".records.jsonl";
  }
  return options.keep ? directory / "records.jsonl" : std::filesystem::path{};
}

std::string daemon_config(const DaemonConfigInput& input) {
  ordered_json config;
  add_thresholds(config, input);
  config["cgroupRoot"] = input.tree.cgroup_root();
  config["manifestDirectories"] = {(input.directory / "pods").string()};
  config["runtimeDirectory"] = input.directory.string();
  config["eventSource"] = name_of(input.options.event_source);
  const std::filesystem::path records = record_file_of(input.options, input.directory);
  if (!records.empty()) {
    config["recordFile"] = records.string();
  }
  if (is_on_disk(input.options.scenario)) {
    add_disk(config, input.disk);
  }
  if (!input.options.poll_interval.empty()) {
    config["pollInterval"] = input.options.poll_interval;
  }
  return config.dump(2) + "\n";
}

}  // namespace evictd::demo
