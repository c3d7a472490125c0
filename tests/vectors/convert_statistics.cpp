// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cluster/pod_json.h"
#include "convert.h"

namespace evictd::vectors {

using eviction::FilesystemStatistics;
using eviction::MemoryStatistics;
using eviction::NodeStatistics;
using eviction::PodStatistics;
using eviction::StorageUse;

namespace {

std::optional<std::uint64_t> unsigned_whole(const JsonReader& reader) {
  if (!reader.present()) {
    return std::nullopt;
  }
  if (!reader.value().is_number_unsigned()) {
    reader.reject("must be a whole number that is not negative");
    return std::nullopt;
  }
  return reader.value().get<std::uint64_t>();
}

std::optional<MemoryStatistics> memory(const JsonReader& reader) {
  if (!reader.present()) {
    return std::nullopt;
  }
  return MemoryStatistics{time(reader.at("time")), unsigned_whole(reader.at("availableBytes")),
                          unsigned_whole(reader.at("usageBytes")),
                          unsigned_whole(reader.at("workingSetBytes"))};
}

std::optional<FilesystemStatistics> filesystem(const JsonReader& reader) {
  if (!reader.present()) {
    return std::nullopt;
  }
  return FilesystemStatistics{time(reader.at("time")), unsigned_whole(reader.at("availableBytes")),
                              unsigned_whole(reader.at("capacityBytes")),
                              unsigned_whole(reader.at("inodesFree")),
                              unsigned_whole(reader.at("inodes"))};
}

StorageUse storage_use(const JsonReader& reader) {
  return {unsigned_whole(reader.at("usedBytes")), unsigned_whole(reader.at("inodesUsed"))};
}

std::optional<StorageUse> optional_storage_use(const JsonReader& reader) {
  return reader.present() ? std::optional(storage_use(reader)) : std::nullopt;
}

}  // namespace

NodeStatistics node_statistics(const JsonReader& node) {
  NodeStatistics statistics;
  statistics.memory = memory(node.at("memory"));
  statistics.node_fs = filesystem(node.at("fs"));
  statistics.image_fs = filesystem(node.at("runtime").at("imageFs"));
  statistics.container_fs = filesystem(node.at("runtime").at("containerFs"));
  if (const JsonReader rlimit = node.at("rlimit"); rlimit.present()) {
    statistics.tasks =
        eviction::TaskStatistics{time(rlimit.at("time")), optional_whole(rlimit.at("maxpid")),
                                 optional_whole(rlimit.at("curproc"))};
  }
  for (const JsonReader& container : node.at("systemContainers").elements()) {
    if (container.at("name").text() == "pods" && !statistics.has_pods_container) {
      statistics.has_pods_container = true;
      statistics.pods_memory = memory(container.at("memory"));
    }
  }
  return statistics;
}

PodStatistics pod_statistics(const JsonReader& reader) {
  PodStatistics statistics;
  for (const JsonReader& container : reader.at("containers").elements()) {
    statistics.containers.push_back(
        {container.at("name").text(), unsigned_whole(container.at("memory").at("workingSetBytes")),
         optional_storage_use(container.at("rootfs")), optional_storage_use(container.at("logs"))});
  }
  for (const JsonReader& volume : reader.at("volume").elements()) {
    statistics.volumes.push_back({volume.at("name").text(), storage_use(volume)});
  }
  statistics.working_set_bytes = unsigned_whole(reader.at("memory").at("workingSetBytes"));
  statistics.process_count = unsigned_whole(reader.at("process_stats").at("process_count"));
  statistics.ephemeral_bytes = unsigned_whole(reader.at("ephemeral-storage").at("usedBytes"));
  return statistics;
}

const eviction::Pod* PodSet::find(std::string_view name) const {
  const auto found = std::find_if(pods.begin(), pods.end(),
                                  [&](const eviction::Pod& pod) { return pod.name == name; });
  return found == pods.end() ? nullptr : &*found;
}

PodSet pod_set(const JsonReader& list, eviction::Compat compat) {
  PodSet set;
  for (const JsonReader& element : list.elements()) {
    set.pods.push_back(cluster::read_pod(element));
    set.facts.push_back(facts_of(set.pods.back(), compat));
  }
  return set;
}

std::vector<StatisticsEntry> statistics_list(const JsonReader& list) {
  std::vector<StatisticsEntry> entries;
  for (const JsonReader& element : list.elements()) {
    entries.push_back({element.at("podRef").at("uid").text(), pod_statistics(element)});
  }
  return entries;
}

const PodStatistics* find(const std::vector<StatisticsEntry>& list, std::string_view uid) {
  // Of two entries for one pod the later counts: the kubelet puts them into a map.
  const auto found = std::find_if(list.rbegin(), list.rend(),
                                  [&](const StatisticsEntry& entry) { return entry.uid == uid; });
  return found == list.rend() ? nullptr : &found->statistics;
}

std::vector<eviction::PassPod> pass_pods(const PodSet& set, const std::vector<std::size_t>& places,
                                         const std::vector<StatisticsEntry>& list) {
  std::vector<eviction::PassPod> result;
  for (const std::size_t place : places) {
    eviction::PassPod pass_pod;
    pass_pod.facts = &set.facts[place];
    pass_pod.pod = &set.pods[place];
    pass_pod.statistics = find(list, set.pods[place].uid);
    pass_pod.reading.state = eviction::ReadingState::kAbsent;
    if (pass_pod.statistics != nullptr) {
      pass_pod.reading = reading_of(*pass_pod.statistics, set.pods[place]);
    }
    result.push_back(pass_pod);
  }
  return result;
}

}  // namespace evictd::vectors
