// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/path_watch.h"
#include "cluster/manifest_directory.h"
#include "config/config.h"
#include "evictd/result.h"

namespace evictd::daemon {

/// All configured directories of manifests. Thread rule: one thread at a time; only housekeeping
/// once there are threads. Blocks in file system calls.
class ManifestSources {
 public:
  ManifestSources() = default;

  /// Watches all directories; the first refresh() reads them. evictd waits for a missing one: see
  /// problems(). Errors: those of cluster::ManifestDirectory::open().
  [[nodiscard]] static Result<ManifestSources> open(const config::Settings& settings);

  /// Reads what changed; returns whether anything had.
  bool refresh();
  /// The same for when one of fds() is readable; checks less.
  bool refresh_reported();
  /// As last read; valid until the next refresh().
  [[nodiscard]] std::vector<const cluster::Manifest*> manifests() const;
  /// Whether each directory was read at least once. Until then a pod without a manifest may be one
  /// that must never be evicted.
  [[nodiscard]] bool were_read() const;
  /// The current problems of manifests, one line each.
  [[nodiscard]] std::vector<Error> problems() const;
  /// Readable when there is something to refresh. Some changes are not reported: call refresh() at
  /// intervals too.
  [[nodiscard]] std::vector<int> fds() const;

 private:
  bool refresh_directories();

  base::PathWatch watch_;
  std::vector<cluster::ManifestDirectory> directories_;
};

}  // namespace evictd::daemon
