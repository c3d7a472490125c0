// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <vector>

#include "evictd/result.h"
#include "stage/private_tree.h"

namespace evictd::bench {

/// Pods with one process each that only waits, as most pods of a node do. The processes die with
/// the object and with this process; the cgroups belong to the tree.
class IdlePods {
 public:
  /// Adds `count` pods of the three QoS classes to `tree`.
  /// Errors: those of making cgroups and of fork(2).
  static Result<IdlePods> start(stage::PrivateTree& tree, int count);

  /// Takes the exit status of those that have been killed, as a container runtime does: until then
  /// they count as tasks of their pods.
  void reap();

  IdlePods() = default;
  IdlePods(const IdlePods&) = delete;
  IdlePods& operator=(const IdlePods&) = delete;
  IdlePods(IdlePods&&) noexcept = default;
  IdlePods& operator=(IdlePods&& other) noexcept;
  ~IdlePods();

 private:
  std::vector<pid_t> pids_;
};

}  // namespace evictd::bench
