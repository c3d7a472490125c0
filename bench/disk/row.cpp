// SPDX-License-Identifier: Apache-2.0
#include "disk/row.h"

namespace evictd::bench {
namespace {

/// As much as a filler at full speed writes in some hundred milliseconds.
constexpr Bytes kBytesThreshold = 96_MiB;
constexpr std::int64_t kInodesThreshold = 16384;

const char* name_of(EvictdMode mode) {
  return mode == EvictdMode::kPoll ? "evictd-poll" : "evictd";
}

const char* name_of(FilledFilesystem filesystem) {
  return filesystem == FilledFilesystem::kNode ? "nodefs" : "imagefs";
}

const char* name_of(FilledResource resource) {
  return resource == FilledResource::kBytes ? "bytes" : "inodes";
}

}  // namespace

std::string DiskRow::title() const {
  return std::string(name_of(mode)) + " " + name_of(filesystem) + " " + name_of(resource);
}

nlohmann::json DiskRow::params() const {
  return {{"racer", name_of(mode)},
          {"filesystem", name_of(filesystem)},
          {"resource", name_of(resource)}};
}

std::string DiskRow::signal() const {
  return std::string(name_of(filesystem)) +
         (resource == FilledResource::kBytes ? ".available" : ".inodesFree");
}

stage::Fullness DiskRow::threshold() const {
  return resource == FilledResource::kBytes
             ? stage::Fullness{.available = kBytesThreshold, .inodes_free = 0}
             : stage::Fullness{.available = Bytes{0}, .inodes_free = kInodesThreshold};
}

std::int64_t DiskRow::amount() const {
  return remaining_in(threshold());
}

std::int64_t DiskRow::remaining_in(const stage::Fullness& fullness) const {
  return resource == FilledResource::kBytes ? fullness.available.value : fullness.inodes_free;
}

double DiskRow::in_unit(std::int64_t amount) const {
  const auto number = static_cast<double>(amount);
  return resource == FilledResource::kBytes ? number / (1 << 20) : number;
}

const char* DiskRow::unit() const {
  return resource == FilledResource::kBytes ? "MiB" : "inodes";
}

std::vector<DiskRow> disk_rows() {
  std::vector<DiskRow> rows;
  for (const EvictdMode mode : {EvictdMode::kBpf, EvictdMode::kPoll}) {
    for (const FilledFilesystem filesystem : {FilledFilesystem::kNode, FilledFilesystem::kImage}) {
      for (const FilledResource resource : {FilledResource::kBytes, FilledResource::kInodes}) {
        rows.push_back({.mode = mode, .filesystem = filesystem, .resource = resource});
      }
    }
  }
  return rows;
}

std::string disk_config(const DiskRow& row, const DiskGround& ground) {
  nlohmann::json config = {{"evictionHard", {{row.signal(), std::to_string(row.amount())}}},
                           {"enforceNodeAllocatable", {"none"}},
                           {"hardEvictionGracePeriodSeconds", 0},
                           {"evictionPressureTransitionPeriod", "1s"},
                           // Trials follow one another faster than a node's evictions should.
                           {"maxEvictionsPerMinute", 0},
                           {"eventSource", row.mode == EvictdMode::kPoll ? "poll" : "bpf"},
                           {"manifestDirectories", {ground.manifests().string()}},
                           {"cgroupRoot", ground.cgroup_root},
                           {"runtimeDirectory", ground.directory.string()},
                           {"stateFile", (ground.directory / "state").string()},
                           {"nodefsPath", ground.node.string()},
                           {"imagefsPath", ground.image.string()},
                           {"containerfsPath", ground.image.string()},
                           {"kubeletRootDirectory", (ground.node / "kubelet").string()},
                           {"podLogsDir", (ground.node / "logs").string()},
                           {"evictedPodData", "removeEmptyDirs"}};
  if (row.mode == EvictdMode::kPoll) {
    config["pollInterval"] = "10s";
  }
  return config.dump(2) + "\n";
}

}  // namespace evictd::bench
