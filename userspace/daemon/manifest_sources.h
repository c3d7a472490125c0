// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/path_watch.h"
#include "cluster/manifest_directory.h"
#include "config/config.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// All directories of manifests that the configuration names.
/// Thread rule: any one thread at a time, housekeeping once there are threads. Blocks in file
/// system calls.
class ManifestSources {
 public:
  ManifestSources() = default;

  /// Watches all; the first refresh() reads them. One that is not there is waited for: see
  /// problems(). Errors: those of cluster::ManifestDirectory::open().
  [[nodiscard]] static Result<ManifestSources> open(const config::Settings& settings);

  /// Reads what has changed; whether something had.
  bool refresh();
  /// As last read; they live until the next refresh().
  [[nodiscard]] std::vector<const cluster::Manifest*> manifests() const;
  /// Whether each directory was read at least once: until then a pod that no manifest names may be
  /// one that nobody may evict.
  [[nodiscard]] bool were_read() const;
  /// What is wrong with manifests now, one line each.
  [[nodiscard]] std::vector<Error> problems() const;
  /// Readable when there is something to refresh. Not all is told: call refresh() at times.
  [[nodiscard]] std::vector<int> fds() const;

 private:
  base::PathWatch watch_;
  std::vector<cluster::ManifestDirectory> directories_;
};

}  // namespace evictd::daemon
