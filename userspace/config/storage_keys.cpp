// SPDX-License-Identifier: Apache-2.0
#include "config/storage_keys.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "config/key_kinds.h"
#include "evictd/try.h"

namespace evictd::config {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Choices<EvictedPodData, 2> kEvictedPodData{
    {{"keep", EvictedPodData::kKeep}, {"removeEmptyDirs", EvictedPodData::kRemoveEmptyDirs}}};

template <typename T>
auto in_storage(T StorageSettings::*member) {
  return field(&Settings::storage, member);
}

/// Reads and writes a member of a part of StorageSettings.
template <typename Part, typename T>
auto in_storage(Part StorageSettings::*part, T Part::*member) {
  return [ part, member ](auto& settings) -> auto& {
    return settings.storage.*part.*member;
  };
}

/// A program and its arguments; the program is given by its path only.
Result<std::vector<std::string>> read_command(const Value& value) {
  constexpr const char* kAllowed =
      "a list of texts: the absolute path of a program, then its arguments";
  EVICTD_TRY(expect_list(value, kAllowed));
  std::vector<std::string> argv;
  for (std::size_t i = 0; i < value.node.items.size(); ++i) {
    const Value item = item_of(value, i);
    EVICTD_ASSIGN_OR_RETURN(std::string text, argv.empty() ? read_path(item) : read_text(item));
    argv.push_back(std::move(text));
  }
  return argv;
}

Key command_key(const std::string& name, ReclaimCommand StorageSettings::*command) {
  return make_key(name, Effect::kReload, in_storage(command, &ReclaimCommand::argv), read_command,
                  [](const auto& argv) { return nlohmann::ordered_json(argv); });
}

Key timeout_key(const std::string& name, ReclaimCommand StorageSettings::*command) {
  return duration_key(name, Effect::kReload, in_storage(command, &ReclaimCommand::timeout),
                      {seconds(1), hours(1)});
}

}  // namespace

std::vector<Key> storage_keys() {
  return {
      text_key("nodefsPath", Effect::kRestart, in_storage(&StorageSettings::node_fs_path),
               read_path),
      text_key("imagefsPath", Effect::kRestart, in_storage(&StorageSettings::image_fs_path),
               read_path),
      text_key("containerfsPath", Effect::kRestart, in_storage(&StorageSettings::container_fs_path),
               read_path),
      text_key("kubeletRootDirectory", Effect::kRestart,
               in_storage(&StorageSettings::kubelet_root_directory), read_path),
      text_key("podLogsDir", Effect::kRestart, in_storage(&StorageSettings::pod_logs_directory),
               read_path),
      make_key("containerRuntimeRoots", Effect::kRestart,
               in_storage(&StorageSettings::container_runtime_roots), read_path_list,
               [](const auto& roots) { return nlohmann::ordered_json(roots); }),
      bool_key("localStorageCapacityIsolation", Effect::kReload,
               in_storage(&StorageSettings::local_storage_capacity_isolation)),
      duration_key("diskSampling.min", Effect::kReload,
                   in_storage(&StorageSettings::sampling, &DiskSamplingSettings::min),
                   {milliseconds(10), hours(1)}),
      duration_key("diskSampling.max", Effect::kReload,
                   in_storage(&StorageSettings::sampling, &DiskSamplingSettings::max),
                   {milliseconds(10), hours(1)}),
      duration_key("podStorage.interval", Effect::kReload,
                   in_storage(&StorageSettings::pods, &PodStorageSettings::interval),
                   {milliseconds(100), hours(24)}),
      integer_key("podStorage.entriesPerSecond", Effect::kReload,
                  in_storage(&StorageSettings::pods, &PodStorageSettings::entries_per_second),
                  {100, 100'000'000}),
      duration_key("podStorage.maxWait", Effect::kReload,
                   in_storage(&StorageSettings::pods, &PodStorageSettings::max_wait),
                   {milliseconds(10), minutes(10)}),
      choice_key("evictedPodData", Effect::kReload, in_storage(&StorageSettings::evicted_pod_data),
                 kEvictedPodData),
      command_key("reclaim.containersCommand", &StorageSettings::reclaim_containers),
      timeout_key("reclaim.containersTimeout", &StorageSettings::reclaim_containers),
      command_key("reclaim.imagesCommand", &StorageSettings::reclaim_images),
      timeout_key("reclaim.imagesTimeout", &StorageSettings::reclaim_images),
  };
}

}  // namespace evictd::config
