// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "evictd/result.h"

struct evictd_bench_kill_witness;

namespace evictd::bench {

/// What somebody else did to the processes of one pod.
struct KillsSeen {
  /// SIGTERM and SIGKILL, one for each process that was sent it.
  std::uint64_t count = 0;
  /// Of the first one: its number, and the process that was running then. That is the sender,
  /// unless the kernel sent it.
  int signal = 0;
  pid_t sender = 0;
  std::string program;
};

/// The witness of kills: to which pods SIGTERM or SIGKILL was sent since its creation, whoever sent
/// it and by whatever way. What this process sends is left out. It knows nothing of evictd, and the
/// kernel tells it before the signal is delivered.
/// Owns its program and its link; the destructor removes them. One thread uses it.
class KillWitness {
 public:
  /// Loads and attaches. Errors: those of libbpf.
  static Result<KillWitness> create();

  /// Of the pod whose cgroup has this kernfs id in the memory hierarchy: signals to processes of
  /// its containers. Nothing if there was none.
  [[nodiscard]] std::optional<KillsSeen> kills_of(std::uint64_t pod) const;
  /// Drops what is known of a pod whose cgroup is removed.
  void forget(std::uint64_t pod);
  /// Signals that it had no room for: with any, an empty kills_of() proves nothing.
  [[nodiscard]] std::uint64_t missed() const;

 private:
  struct Destroy {
    void operator()(evictd_bench_kill_witness* skeleton) const;
  };
  using Skeleton = std::unique_ptr<evictd_bench_kill_witness, Destroy>;

  explicit KillWitness(Skeleton skeleton) : skeleton_(std::move(skeleton)) {}
  [[nodiscard]] int map() const;

  Skeleton skeleton_;
};

}  // namespace evictd::bench
