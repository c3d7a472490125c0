// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/manifest_sources.h"

#include <algorithm>
#include <string>
#include <utility>

#include "evictd/try.h"

namespace evictd::daemon {

namespace {

Result<> open_all(const std::vector<std::string>& paths, cluster::ManifestKind kind,
                  std::vector<cluster::ManifestDirectory>& opened) {
  for (const std::string& path : paths) {
    EVICTD_ASSIGN_OR_RETURN(
        cluster::ManifestDirectory directory,
        cluster::ManifestDirectory::open(
            {.path = path, .kind = kind, .first_reading = cluster::FirstReading::kLater}));
    opened.push_back(std::move(directory));
  }
  return {};
}

template <typename T>
void append(std::vector<T>& all, const std::vector<T>& some) {
  all.insert(all.end(), some.begin(), some.end());
}

}  // namespace

Result<ManifestSources> ManifestSources::open(const config::Settings& settings) {
  ManifestSources sources;
  EVICTD_TRY(
      open_all(settings.manifest_directories, cluster::ManifestKind::kPods, sources.directories_));
  EVICTD_TRY(open_all(settings.static_manifest_directories, cluster::ManifestKind::kStatic,
                      sources.directories_));
  std::vector<std::string> paths;
  for (const cluster::ManifestDirectory& directory : sources.directories_) {
    paths.push_back(directory.options().path);
  }
  sources.watch_ = base::PathWatch(paths);
  return sources;
}

bool ManifestSources::refresh() {
  // First: later changes are reported.
  static_cast<void>(watch_.take_changes());
  return refresh_directories();
}

bool ManifestSources::refresh_reported() {
  static_cast<void>(watch_.take_reports());
  return refresh_directories();
}

bool ManifestSources::refresh_directories() {
  bool changed = false;
  for (cluster::ManifestDirectory& directory : directories_) {
    changed = directory.refresh() || changed;
  }
  return changed;
}

std::vector<const cluster::Manifest*> ManifestSources::manifests() const {
  std::vector<const cluster::Manifest*> all;
  for (const cluster::ManifestDirectory& directory : directories_) {
    append(all, directory.manifests());
  }
  return all;
}

bool ManifestSources::were_read() const {
  return std::all_of(
      directories_.begin(), directories_.end(),
      [](const cluster::ManifestDirectory& directory) { return directory.was_read(); });
}

std::vector<Error> ManifestSources::problems() const {
  std::vector<Error> all;
  for (const cluster::ManifestDirectory& directory : directories_) {
    append(all, directory.problems());
  }
  if (watch_.problem()) {
    all.push_back(*watch_.problem());
    all.back().context += ", continuing with a scan of manifest directories every pollInterval";
  }
  return all;
}

std::vector<int> ManifestSources::fds() const {
  std::vector<int> fds;
  fds.reserve(directories_.size());
  for (const cluster::ManifestDirectory& directory : directories_) {
    fds.push_back(directory.fd());
  }
  if (watch_.fd() >= 0) {
    fds.push_back(watch_.fd());
  }
  return fds;
}

}  // namespace evictd::daemon
