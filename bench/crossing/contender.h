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

/// The running killer of one row: complete evictd, or a reference consumer.
class Contender {
 public:
  /// Returns once it watches. Errors: those of the program that it starts.
  static Result<Contender> start(const Row& row, const Ground& ground);

  /// Makes it kill `victim` once the working set exceeds `level`. evictd finds the victim by
  /// itself. A cgroup threshold of evictd is fixed by the pod root's limit; a node threshold is
  /// reloaded.
  Result<> arm(pid_t victim, Bytes level);
  Result<> disarm();
  /// When evictd's own kernel side detected the crossing that killed `uid`. It is telemetry that
  /// only evictd has. nullopt for the other killers, and if a pass was earlier than the kernel
  /// side's timer. Waits for evictd's record: if its kernel side killed, it may not know of it yet.
  [[nodiscard]] std::optional<MonoTime> detected(const std::string& uid) const;
  /// The thread of evictd that kills. Errors: kNotFound for the other killers.
  [[nodiscard]] Result<pid_t> hot_thread() const;

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
