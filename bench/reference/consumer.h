// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

#include "base/fd.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::bench {

/// How a reference detects low memory.
enum class Mechanism {
  kEventfd,  ///< cgroup v1's own notification: cgroup.event_control on memory.usage_in_bytes.
  kPoll,     ///< Reads the counters once a period.
};

struct ConsumerOptions {
  Mechanism mechanism = Mechanism::kEventfd;
  /// Used by kPoll.
  Duration period{0};
  /// SCHED_FIFO and locked memory, as evictd uses by default.
  bool realtime = false;
  /// Directory of the watched cgroup in the memory hierarchy.
  std::filesystem::path directory;
  /// "memory.usage_in_bytes" or "memory.current".
  std::string usage_file;
};

/// The simplest program that does evictd's job by another mechanism. It kills one known process
/// once the working set of one cgroup exceeds a level. Like evictd, it runs as a separate process
/// for a whole row, so that starting it is not measured.
class Consumer {
 public:
  /// Forks it. Errors: those of fork(2); kUnsupported if real-time priority is refused.
  static Result<Consumer> start(const ConsumerOptions& options);

  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;
  Consumer(Consumer&&) noexcept = default;
  Consumer& operator=(Consumer&& other) noexcept;
  ~Consumer();

  /// Kills `victim` when the working set exceeds `level`.
  /// Returns once the consumer is watching. Errors: kIo if it is gone.
  Result<> arm(pid_t victim, Bytes level);
  /// Ends the trial; the consumer stops watching.
  Result<> disarm();

 private:
  Consumer(pid_t pid, base::Fd channel);
  Result<> exchange(pid_t victim, Bytes level);

  pid_t pid_ = -1;
  base::Fd channel_;
};

}  // namespace evictd::bench
