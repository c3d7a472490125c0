// SPDX-License-Identifier: Apache-2.0
#include "eviction/local_storage.h"

#include "eviction/amounts.h"
#include "eviction/pod_facts.h"

namespace evictd::eviction {
namespace {

/// Used bytes of the last statistics of that name; nothing if there are none.
std::optional<std::int64_t> volume_use(const PodStatistics& statistics, const std::string& name) {
  std::optional<std::int64_t> used;
  for (const VolumeStatistics& volume : statistics.volumes) {
    if (volume.name == name && volume.use.bytes) {
      used = wrapped(*volume.use.bytes);
    }
  }
  return used;
}

std::optional<std::size_t> exceeded_empty_dir(const Pod& pod, const PodStatistics& statistics) {
  for (std::size_t i = 0; i < pod.volumes.size(); ++i) {
    const Volume& volume = pod.volumes[i];
    if (!volume.empty_dir || !volume.empty_dir->size_limit) {
      continue;
    }
    const Quantity& limit = *volume.empty_dir->size_limit;
    const std::optional<std::int64_t> used = volume_use(statistics, volume.name);
    if (used && limit.sign() > 0 && binary_bytes(*used) > limit) {
      return i;
    }
  }
  return std::nullopt;
}

bool exceeds_pod_limit(const Pod& pod, const PodStatistics& statistics, Compat compat) {
  const std::optional<Quantity> limit = effective_ephemeral_limit(pod, compat);
  return limit && binary_bytes(wrapped(statistics.ephemeral_bytes.value_or(0))) > *limit;
}

Quantity container_use(const ContainerStatistics& container, DiskLayout layout) {
  Quantity used = binary_bytes(container.logs ? wrapped(container.logs->bytes.value_or(0)) : 0);
  if (!layout.dedicated_image_fs && container.rootfs) {
    used += binary_bytes(wrapped(container.rootfs->bytes.value_or(0)));
  }
  return used;
}

std::optional<std::size_t> exceeded_container(const Pod& pod, const PodStatistics& statistics,
                                              DiskLayout layout) {
  for (std::size_t i = 0; i < statistics.containers.size(); ++i) {
    const ContainerStatistics& container = statistics.containers[i];
    const Quantity* const limit = container_ephemeral_limit(pod, container.name);
    if (limit != nullptr && container_use(container, layout) > *limit) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(LocalLimit limit) {
  switch (limit) {
    case LocalLimit::kEmptyDir:
      return "emptydirfs.limit";
    case LocalLimit::kPod:
      return "ephemeralpodfs.limit";
    case LocalLimit::kContainer:
      return "ephemeralcontainerfs.limit";
  }
  return "";
}

const Quantity* container_ephemeral_limit(const Pod& pod, std::string_view name) {
  const Quantity* last = nullptr;
  for (const Container& container : pod.containers) {
    const auto limit = container.limits.find(std::string_view("ephemeral-storage"));
    if (container.name == name && limit != container.limits.end() && limit->second.value() != 0) {
      last = &limit->second;
    }
  }
  return last;
}

std::optional<LocalStorageBreach> local_storage_breach(const Pod& pod,
                                                       const PodStatistics& statistics,
                                                       DiskLayout layout, Compat compat) {
  if (const auto volume = exceeded_empty_dir(pod, statistics)) {
    return LocalStorageBreach{LocalLimit::kEmptyDir, *volume};
  }
  if (exceeds_pod_limit(pod, statistics, compat)) {
    return LocalStorageBreach{LocalLimit::kPod, 0};
  }
  if (const auto container = exceeded_container(pod, statistics, layout)) {
    return LocalStorageBreach{LocalLimit::kContainer, *container};
  }
  return std::nullopt;
}

LocalStorageAmounts local_storage_amounts(const Pod& pod, const PodStatistics& statistics,
                                          LocalStorageBreach breach, DiskLayout layout,
                                          Compat compat) {
  switch (breach.limit) {
    case LocalLimit::kEmptyDir: {
      const Volume& volume = pod.volumes.at(breach.place);
      return {.name = volume.name,
              .used = volume_use(statistics, volume.name).value_or(0),
              .limit = volume.empty_dir && volume.empty_dir->size_limit
                           ? volume.empty_dir->size_limit->value()
                           : 0};
    }
    case LocalLimit::kPod:
      return {.name = {},
              .used = wrapped(statistics.ephemeral_bytes.value_or(0)),
              .limit = effective_ephemeral_limit(pod, compat).value_or(Quantity()).value()};
    case LocalLimit::kContainer: {
      const ContainerStatistics& container = statistics.containers.at(breach.place);
      const Quantity* const limit = container_ephemeral_limit(pod, container.name);
      return {.name = container.name,
              .used = container_use(container, layout).value(),
              .limit = limit == nullptr ? 0 : limit->value()};
    }
  }
  return {};
}

}  // namespace evictd::eviction
