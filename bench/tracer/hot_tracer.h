// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>

#include "evictd/result.h"
#include "tracer/steps.h"

namespace evictd::bench {

/// The thread of the process `pid` that runs evictd's passes.
/// Errors: kNotFound if there is none of its name.
[[nodiscard]] Result<pid_t> hot_thread_of(pid_t pid);

/// Records the system calls of evictd's hot thread, from outside. Each costs some hundred
/// nanoseconds more meanwhile, and every other call of the machine a few.
/// Owns its programs and links; the destructor removes them. One thread uses it.
class HotTracer {
 public:
  /// Loads and attaches. Errors: libbpf's.
  static Result<HotTracer> create();

  HotTracer(const HotTracer&) = delete;
  HotTracer& operator=(const HotTracer&) = delete;
  HotTracer(HotTracer&&) noexcept;
  HotTracer& operator=(HotTracer&&) noexcept;
  ~HotTracer();

  /// Forgets the previous trial and traces `thread` until it has sent SIGKILL to `victim`.
  void arm(pid_t thread, pid_t victim);
  /// Stops tracing and returns the last calls since arm(). nullopt if no SIGKILL by that thread
  /// was seen to return.
  std::optional<HotTrace> disarm();

 private:
  struct State;
  explicit HotTracer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace evictd::bench
