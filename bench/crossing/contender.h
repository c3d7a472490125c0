// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>

#include "crossing/ground.h"
#include "crossing/plan.h"
#include "evictd/result.h"
#include "harness/daemon_run.h"
#include "reference/consumer.h"
#include "stage/daemon_process.h"

namespace evictd::bench {

/// The killer of one row, running: evictd whole, or a reference consumer.
class Contender {
 public:
  /// Returns once it watches. Errors: those of the program that it starts.
  static Result<Contender> start(const Row& row, const Ground& ground);

  /// Makes it kill `victim` once the working set is larger than `level`. evictd finds its victim by
  /// itself; a cgroup threshold of evictd is fixed by the pod root's limit, a node's is reloaded.
  Result<> arm(pid_t victim, Bytes level);
  Result<> disarm();
  /// When evictd's own kernel side saw the crossing that `uid` died of: telemetry, as only evictd
  /// can know it. Nothing for the others, and where its timer saw nothing before a pass did.
  [[nodiscard]] std::optional<MonoTime> detected(const std::string& uid) const;

 private:
  explicit Contender(const Row& row) : row_(row) {}

  [[nodiscard]] DaemonRunOptions daemon_options(Bytes node_threshold) const;

  Row row_;
  /// Borrowed; set for evictd.
  const Ground* ground_ = nullptr;
  std::optional<stage::DaemonProcess> daemon_;
  std::optional<Consumer> consumer_;
};

}  // namespace evictd::bench
