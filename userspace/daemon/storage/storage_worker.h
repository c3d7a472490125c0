// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "daemon/storage/storage_survey.h"
#include "disk/pod_storage.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::daemon {

/// Result of removing emptyDir data.
struct RemovedData {
  std::string uid;
  Result<std::uint64_t> entries;
};
using StorageAnswer = std::variant<MeasuredPods, RemovedData>;

/// A thread with idle I/O priority that walks directories. That may take long, or for ever on a
/// dead filesystem, so no thread waits for it. Thread rule: created and used by housekeeping.
class StorageWorker {
 public:
  struct Options {
    disk::PodDirectories directories;
    std::int64_t entries_per_second = 0;
  };
  [[nodiscard]] static Result<std::unique_ptr<StorageWorker>> start(Options options);
  StorageWorker(const StorageWorker&) = delete;
  StorageWorker& operator=(const StorageWorker&) = delete;
  /// Ends the thread. If it does not answer within a second, it ends with the process.
  ~StorageWorker();

  void set_pace(std::int64_t entries_per_second);
  /// Measures these pods in this order and reports each one when it is done. Replaces a waiting or
  /// running measurement, which has no last answer then; the new one continues its walks.
  void measure(StorageSurvey::Request request);
  /// Removes the emptyDir data of a pod, before any further measurement.
  void remove_data(std::string uid, disk::VolumesOf which);
  /// Readable when there is an answer.
  [[nodiscard]] int descriptor() const;
  /// The next answer; nullopt once all are taken.
  [[nodiscard]] std::optional<StorageAnswer> take();
  [[nodiscard]] bool measuring() const;

 private:
  struct Shared;
  explicit StorageWorker(std::shared_ptr<Shared> shared);

  std::shared_ptr<Shared> shared_;
};

}  // namespace evictd::daemon
