// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/disk_watch.h"

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "evictd/try.h"
#include "sys/root.h"
#include "sys/thread_name.h"

namespace evictd::daemon {

namespace {

/// A directory on a dead filesystem never answers.
constexpr std::chrono::seconds kResolvePatience{2};

/// `path` without symbolic links; nullopt if it does not exist or does not answer. Abandons a
/// thread that does not return.
std::optional<std::string> resolve(const std::string& path) {
  auto promise = std::make_shared<std::promise<std::optional<std::string>>>();
  std::future<std::optional<std::string>> answer = promise->get_future();
  std::thread([promise, path] {
    sys::name_thread("evictd-disk");
    std::error_code failed;
    const std::filesystem::path real = std::filesystem::canonical(path, failed);
    promise->set_value(failed ? std::nullopt : std::optional(real.string()));
  }).detach();
  return answer.wait_for(kResolvePatience) == std::future_status::ready ? answer.get()
                                                                        : std::nullopt;
}

}  // namespace

Result<disk::Places> find_places(const config::Settings& settings) {
  EVICTD_ASSIGN_OR_RETURN(const sys::Root root, sys::Root::open());
  EVICTD_ASSIGN_OR_RETURN(const std::string text,
                          EVICTD_IN("find filesystems", root.read("/proc/self/mountinfo")));
  const config::StorageSettings& storage = settings.storage;
  const std::vector<sys::Mount> mounts = sys::parse_mounts(text);
  return disk::find_places({.node_fs_path = storage.node_fs_path,
                            .image_fs_path = storage.image_fs_path,
                            .container_fs_path = storage.container_fs_path,
                            .kubelet_root_directory = storage.kubelet_root_directory,
                            .container_runtime_roots = storage.container_runtime_roots},
                           {.mounts = mounts, .resolve = resolve});
}

std::string runtime_links(const config::Settings& settings) {
  std::string all;
  for (const std::string& root : settings.storage.container_runtime_roots) {
    for (const std::string& link : {root, root + disk::kLayersSuffix}) {
      std::error_code is_none;
      const std::filesystem::path target = std::filesystem::read_symlink(link, is_none);
      if (!is_none) {
        all += link + " -> " + target.string() + "\n";
      }
    }
  }
  return all;
}

Result<eviction::ThresholdTable> thresholds_in_force(const config::Config& config,
                                                     eviction::DiskLayout layout) {
  if (config->compatibility == eviction::Compat::k1_26) {
    return eviction::ThresholdTable::create(config.thresholds());
  }
  return eviction::ThresholdTable::create(
      eviction::derive_containerfs_thresholds(config.thresholds(), layout).thresholds);
}

Result<disk::SampleWatch> sample_watch_of(const config::Config& config,
                                          eviction::DiskLayout layout) {
  EVICTD_ASSIGN_OR_RETURN(eviction::ThresholdTable thresholds, thresholds_in_force(config, layout));
  return disk::SampleWatch{.sampling = {.shortest = config->storage.sampling.min,
                                        .longest = config->storage.sampling.max},
                           .thresholds = std::move(thresholds)};
}

}  // namespace evictd::daemon
