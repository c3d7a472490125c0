// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"
#include "kube/pod_document.h"

namespace evictd::kube {

/// The directory of manifests that evictd reads: "UID.json" for each pod, and ".confirmed", whose
/// mtime is when all of it was last known to be as the source has it. That file is the mark of a
/// directory that is evictd-kube's own, and its lock. Thread rule: one thread. Blocks in file
/// system calls; the directory is to be on a tmpfs such as /run.
class ManifestWriter {
 public:
  struct Counters {
    std::uint64_t written = 0;
    std::uint64_t removed = 0;
    std::uint64_t failures = 0;
  };

  /// Opens the directory, and makes it where it is not there.
  /// Errors: kInvalid where something is in it that evictd-kube did not put there; kBusy where
  /// another one keeps it; else what open(2) and mkdir(2) say.
  [[nodiscard]] static Result<ManifestWriter> open(const std::string& directory);

  /// What is there already. A file that cannot be read, or is of no uid, is removed.
  [[nodiscard]] std::vector<PodDocument> read_all();
  /// As a whole or not at all: whoever reads sees the old text or the new one.
  [[nodiscard]] Result<> write(const PodDocument& document);
  /// One that is not there is removed.
  [[nodiscard]] Result<> remove(const std::string& uid);
  /// Now the directory is as its source has it.
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
