// SPDX-License-Identifier: Apache-2.0
#include "eviction/statistics.h"

#include <algorithm>

namespace evictd::eviction {
namespace {

/// Go's int64(x) of an unsigned number, zero for none.
std::int64_t wrapped_or_zero(const std::optional<std::uint64_t>& amount) {
  return static_cast<std::int64_t>(amount.value_or(0));
}

bool is_local(const Volume& volume) {
  return volume.host_path || volume.config_map || volume.git_repo ||
         (volume.empty_dir && volume.empty_dir->medium.empty());
}

}  // namespace

std::vector<std::string> local_volume_names(const Pod& pod) {
  std::vector<std::string> names;
  for (const Volume& volume : pod.volumes) {
    if (is_local(volume)) {
      names.push_back(volume.name);
    }
  }
  return names;
}

PodReading reading_of(const PodStatistics& statistics, const Pod& pod) {
  PodReading reading;
  reading.state = ReadingState::kRead;
  reading.working_set_bytes = wrapped_or_zero(statistics.working_set_bytes);
  reading.processes = wrapped_or_zero(statistics.process_count);
  DiskReading& disk = reading.disk;
  for (const ContainerStatistics& container : statistics.containers) {
    if (container.rootfs) {
      disk.root_bytes += wrapped_or_zero(container.rootfs->bytes);
      disk.root_inodes += wrapped_or_zero(container.rootfs->inodes);
    }
    if (container.logs) {
      disk.log_bytes += wrapped_or_zero(container.logs->bytes);
      disk.log_inodes += wrapped_or_zero(container.logs->inodes);
    }
  }
  // A name that the pod has twice counts twice, and of what is measured under one name the first
  // counts, as for the kubelet.
  for (const std::string& name : local_volume_names(pod)) {
    const auto volume =
        std::find_if(statistics.volumes.begin(), statistics.volumes.end(),
                     [&](const VolumeStatistics& measured) { return measured.name == name; });
    if (volume != statistics.volumes.end()) {
      disk.volume_bytes += wrapped_or_zero(volume->use.bytes);
      disk.volume_inodes += wrapped_or_zero(volume->use.inodes);
    }
  }
  return reading;
}

}  // namespace evictd::eviction
