// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"
#include "kube/pod_document.h"

namespace evictd::kube {

/// The directory of manifests that evictd reads: "UID.json" for each pod, and ".confirmed". The
/// mtime of ".confirmed" is the time at which the whole directory last matched the source. That
/// file also marks the directory as evictd-kube's own, and is its lock.
/// Thread rule: one thread. Blocks in file system calls; the directory should be on a tmpfs such as
/// /run.
class ManifestWriter {
 public:
  struct Counters {
    std::uint64_t written = 0;
    std::uint64_t removed = 0;
    std::uint64_t failures = 0;
  };

  /// Opens the directory; creates it if it is missing.
  /// Errors: kInvalid if it contains a file that evictd-kube did not create; kBusy if another
  /// process owns it; else as open(2) and mkdir(2).
  [[nodiscard]] static Result<ManifestWriter> open(const std::string& directory);

  /// Reads the existing manifests. Removes a file that cannot be read, or whose name is no uid.
  [[nodiscard]] std::vector<PodDocument> read_all();
  /// Writes atomically: a reader sees the old text or the new one.
  [[nodiscard]] Result<> write(const PodDocument& document);
  /// Succeeds if there is no such manifest.
  [[nodiscard]] Result<> remove(const std::string& uid);
  /// Marks the directory as equal to its source now.
  [[nodiscard]] Result<> confirm();

  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  ManifestWriter(std::string path, base::Fd directory, base::Fd confirmed)
      : path_(std::move(path)),
        directory_(std::move(directory)),
        confirmed_(std::move(confirmed)) {}
  [[nodiscard]] Failure failed(int error, const std::string& what);

  std::string path_;
  base::Fd directory_;
  base::Fd confirmed_;
  Counters counters_;
};

}  // namespace evictd::kube
