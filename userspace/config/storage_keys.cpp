// SPDX-License-Identifier: Apache-2.0
#include "config/storage_keys.h"

#include <chrono>

#include "config/key_kinds.h"

namespace evictd::config {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr Effect kReload = Effect::kReload;
constexpr Effect kRestart = Effect::kRestart;

template <typename T>
auto in_storage(T StorageSettings::*member) {
  return field(&Settings::storage, member);
}

/// Reaches a member of a part of StorageSettings.
template <typename Part, typename T>
auto in_storage(Part StorageSettings::*part, T Part::*member) {
  return [ part, member ](auto& settings) -> auto& {
    return settings.storage.*part.*member;
  };
}

}  // namespace

std::vector<Key> storage_keys() {
  return {
      text_key("nodefsPath", kRestart, in_storage(&StorageSettings::node_fs_path), read_path),
      text_key("imagefsPath", kRestart, in_storage(&StorageSettings::image_fs_path), read_path),
      text_key("containerfsPath", kRestart, in_storage(&StorageSettings::container_fs_path),
               read_path),
      text_key("kubeletRootDirectory", kRestart,
               in_storage(&StorageSettings::kubelet_root_directory), read_path),
      make_key("containerRuntimeRoots", kRestart,
               in_storage(&StorageSettings::container_runtime_roots), read_path_list,
               [](const auto& roots) { return nlohmann::ordered_json(roots); }),
      duration_key("diskSampling.min", kReload,
                   in_storage(&StorageSettings::sampling, &DiskSamplingSettings::min),
                   {milliseconds(10), hours(1)}),
      duration_key("diskSampling.max", kReload,
                   in_storage(&StorageSettings::sampling, &DiskSamplingSettings::max),
                   {milliseconds(10), hours(1)}),
  };
}

}  // namespace evictd::config
