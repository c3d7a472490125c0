// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/fd.h"
#include "evictd/result.h"
#include "reference/consumer.h"

namespace evictd::bench {

/// The parent's order to the consumer's process: the victim to watch for, or 0 to stop.
struct ConsumerOrder {
  std::int64_t victim = 0;
  std::int64_t level_bytes = 0;
};

/// The code of the consumer's process. Allocates nothing once it watches.
class Watcher {
 public:
  static Result<Watcher> create(const ConsumerOptions& options, int channel);
  /// Executes orders until the channel is closed.
  void run();

 private:
  Watcher(ConsumerOptions options, int channel, base::Fd usage, base::Fd stat);

  void watch_by_eventfd();
  /// Handles one registration; returns true after signalling the victim or when another order
  /// waits.
  bool wait_past_threshold();
  void watch_by_polling();
  /// An eventfd that the kernel signals when usage exceeds level + inactive file.
  [[nodiscard]] base::Fd register_threshold(std::int64_t usage_bytes) const;
  [[nodiscard]] std::int64_t working_set() const;
  [[nodiscard]] std::int64_t inactive_file() const;
  [[nodiscard]] bool kill_if_past();
  /// Takes the next order; returns false once the channel is closed.
  bool take_order();
  void acknowledge() const;

  ConsumerOptions options_;
  int channel_;
  base::Fd usage_;
  base::Fd stat_;
  base::Fd victim_;
  ConsumerOrder order_;
  bool closed_ = false;
  bool acknowledge_once_ = false;
};

}  // namespace evictd::bench
