// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::bench {

/// The kernel's own estimate during one trial. Source: MemAvailable of /proc/meminfo.
struct MemorySeen {
  Bytes lowest_available;
  /// First reading below a tenth of MemTotal.
  std::optional<MonoTime> short_since;
  /// First reading below each of the thresholds, in their order.
  std::vector<std::optional<MonoTime>> crossed_at;
};

/// Reads /proc/meminfo every 5 ms in its own real-time thread, so that it works while everything
/// else waits for memory. One thread uses it.
class MemoryWitness {
 public:
  /// Starts sampling. Errors: those of opening the file and of creating the timer.
  Result<> start(std::vector<Bytes> thresholds);
  /// Stops, and returns what was seen since start().
  MemorySeen stop();

  MemoryWitness() = default;
  MemoryWitness(const MemoryWitness&) = delete;
  MemoryWitness& operator=(const MemoryWitness&) = delete;
  ~MemoryWitness();

 private:
  void sample_until_stopped();
  void look();

  base::Fd meminfo_;
  base::Fd timer_;
  std::atomic<bool> ends_{false};
  std::thread thread_;
  std::vector<Bytes> thresholds_;
  MemorySeen seen_;
};

}  // namespace evictd::bench
