// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::bench {

/// What to detect in one trial.
struct ObserverLevel {
  /// kernfs id (inode number) of the watched memory cgroup; 0 watches the node's working set.
  std::uint64_t memcg_id = 0;
  /// The value is past the level when it is larger than this.
  Bytes level;
  /// The process whose SIGKILL is stamped.
  pid_t victim = 0;
};

/// Results of one trial. Source: stamps of the observer's own programs.
struct ObserverReading {
  /// First page that was charged with the value past the level.
  std::optional<MonoTime> crossed;
  /// SIGKILL generated for the victim, and the sender's system call returned.
  std::optional<MonoTime> sigkill;
  std::optional<MonoTime> sigkill_returned;
  /// The kernel or a BPF program sent it: no system call returns.
  bool by_kernel = false;
  /// The value when SIGKILL was generated, and the largest value in the trial.
  Bytes at_sigkill;
  Bytes furthest;
  std::uint64_t pages_seen = 0;
};

/// The witness of all benches: it checks every page, without a filter, and is independent of
/// evictd's programs.
/// Owns its programs and links; the destructor removes them. One thread uses it.
class Observer {
 public:
  /// Loads and attaches. Errors: kUnsupported if this kernel has none of its page hooks, else
  /// libbpf's error.
  static Result<Observer> create();

  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  Observer(Observer&&) noexcept;
  Observer& operator=(Observer&&) noexcept;
  ~Observer();

  /// Forgets the previous trial and watches for `level`, once.
  void arm(const ObserverLevel& level);
  /// Stops watching and returns what was seen since arm().
  ObserverReading disarm();
  /// The attached hooks: "fentry page_counter_try_charge".
  [[nodiscard]] const char* hook() const;

 private:
  struct State;
  explicit Observer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace evictd::bench
