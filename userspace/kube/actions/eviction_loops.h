// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "evictd/result.h"
#include "evictd/time.h"
#include "kube/controller.h"

namespace evictd::kube {

/// An eviction of a pod that has a controller.
struct ControlledEviction {
  Controller controller;
  std::string pod_uid;
  /// Id of evictd's record.
  std::uint64_t id = 0;
  WallTime at{};
};

/// Detects controllers whose pods this node evicts again and again, and computes until when new
/// pods are kept off for that. A loop is three evictions within ten minutes; each eviction counts
/// once. Times are those of the records. Pure.
class EvictionLoops {
 public:
  static constexpr std::size_t kEvictionsOfALoop = 3;
  static constexpr Duration kWindow = std::chrono::minutes(10);
  /// The shortest time for which a kubelet reports a pressure.
  static constexpr Duration kFirstDamping = std::chrono::minutes(5);
  /// Each further loop doubles the damping, up to this limit. After this long without a loop,
  /// damping starts at kFirstDamping again.
  static constexpr Duration kLongestDamping = std::chrono::hours(1);

  struct Eviction {
    std::string pod_uid;
    std::uint64_t id = 0;
    WallTime at{};
  };
  struct Known {
    Controller controller;
    /// The newest evictions, oldest first.
    std::vector<Eviction> evictions{};
    /// How many of them, counted from the newest, belong to no loop yet.
    std::size_t uncounted = 0;
    std::uint64_t loops = 0;
    /// When the last loop was closed.
    WallTime looped_at{};
  };

  /// Whether this eviction completes a loop.
  [[nodiscard]] bool closes_loop(const ControlledEviction& eviction) const;
  void take(const ControlledEviction& eviction);

  /// Controllers that were in a loop, and those that may still enter one.
  [[nodiscard]] const std::vector<Known>& controllers() const { return controllers_; }
  /// The time until which new pods are kept off; nullopt if they are not. A clock that was set back
  /// does not extend it beyond kLongestDamping.
  [[nodiscard]] std::optional<WallTime> damped_until(WallTime now) const;

  [[nodiscard]] nlohmann::json to_json() const;
  /// Takes what to_json() wrote; skips malformed elements.
  void take_json(const nlohmann::json& json);

 private:
  [[nodiscard]] const Known* find(const std::string& uid) const;
  [[nodiscard]] Known& known(const Controller& controller);
  void forget_old(WallTime now);
  void damp(WallTime at);

  std::vector<Known> controllers_;
  /// The epoch: never damped so far.
  WallTime damped_until_{};
  /// Length of the next damping.
  Duration damping_ = kFirstDamping;
};

[[nodiscard]] nlohmann::json to_json(const ControlledEviction& eviction);
/// Reads what to_json() wrote. Errors: kMalformed for anything else.
[[nodiscard]] Result<ControlledEviction> controlled_eviction_from_json(const nlohmann::json& json);

}  // namespace evictd::kube
