// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "evictd/time.h"
#include "kube/actions/node_request.h"
#include "kube/actions/pressure.h"
#include "kube/backoff.h"
#include "kube/pod_source.h"

namespace evictd::kube {

/// Keeps the node's taints and conditions equal to the pressure: reads the node and patches what
/// differs. Reads the node again from time to time, because others write it too. No socket, no
/// clock.
class NodeKeeper {
 public:
  struct Options {
    std::string node;
    /// nullopt: evictd-kube does not write the node's conditions.
    std::optional<NodeConditions> conditions = NodeConditions::kOwn;
    RandomPart random;
    Duration look_again = std::chrono::minutes(1);
    /// Delay before the end of a pressure is believed: a restarted evictd reports no pressure
    /// before its first pass.
    Duration settle = std::chrono::seconds(3);
  };
  struct Counters {
    std::uint64_t taints = 0;      ///< Accepted taint patches.
    std::uint64_t conditions = 0;  ///< Accepted condition patches.
    std::uint64_t conflicts = 0;   ///< 409: the node was read again.
    std::uint64_t failures = 0;
  };

  explicit NodeKeeper(Options options) : options_(std::move(options)) {}

  /// Sets the pressure that the node should show from now on.
  void want(const Pressure& pressure, MonoTime now);

  [[nodiscard]] MonoTime due() const;
  [[nodiscard]] std::optional<Ask> tick(MonoTime now, WallTime wall);
  void on_end(const Answer& answer, MonoTime now);

  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  enum class State { kIdle, kReading, kTainting, kSettingConditions };

  void take_node(const Answer& answer, MonoTime now);
  void fail_with(const std::string& what, const Answer& answer, MonoTime now);

  Options options_;
  Pressure wanted_;
  /// The epoch: at once.
  MonoTime due_{};
  State state_ = State::kIdle;
  /// The node as it was last read; the next request is derived from it.
  std::optional<NodeAnswer> read_;
  bool is_tainted_ = false;
  /// The pressure changed while a request was in progress.
  bool is_stale_ = false;
  Backoff backoff_{{}};
  Counters counters_;
  std::string problem_;
};

}  // namespace evictd::kube
