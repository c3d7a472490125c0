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

/// A pod of a controller that was evicted.
struct ControlledEviction {
  Controller controller;
  std::string pod_uid;
  /// Of evictd's record.
  std::uint64_t id = 0;
  WallTime at{};
};

/// Which controllers make pods that this node evicts again and again, and until when new pods are
/// kept off for it. A loop is three evictions within ten minutes, each of which counts once. Times
/// are those of the records. Pure.
class EvictionLoops {
 public:
  static constexpr std::size_t kEvictionsOfALoop = 3;
  static constexpr Duration kWindow = std::chrono::minutes(10);
  /// As long as a kubelet reports a pressure at the least.
  static constexpr Duration kFirstDamping = std::chrono::minutes(5);
  /// Each further loop doubles the time, up to this one; it begins anew after as long without one.
  static constexpr Duration kLongestDamping = std::chrono::hours(1);

  struct Eviction {
    std::string pod_uid;
    std::uint64_t id = 0;
    WallTime at{};
  };
  struct Known {
    Controller controller;
    /// The newest, oldest first.
    std::vector<Eviction> evictions{};
    /// So many of them, the newest, are in no loop yet.
    std::size_t uncounted = 0;
    std::uint64_t loops = 0;
    /// When the last one was closed.
    WallTime looped_at{};
  };

  /// Whether this eviction makes the loop.
  [[nodiscard]] bool closes_loop(const ControlledEviction& eviction) const;
  void take(const ControlledEviction& eviction);

  /// Those that were in a loop, and those that may come to be in one.
  [[nodiscard]] const std::vector<Known>& controllers() const { return controllers_; }
  /// Until when new pods are kept off; nothing where they are not. A clock that was set back does
  /// not make it longer than kLongestDamping.
  [[nodiscard]] std::optional<WallTime> damped_until(WallTime now) const;

  [[nodiscard]] nlohmann::json to_json() const;
  /// Takes what to_json() wrote; what is no such thing is left out.
  void take_json(const nlohmann::json& json);

 private:
  [[nodiscard]] const Known* find(const std::string& uid) const;
  [[nodiscard]] Known& known(const Controller& controller);
  void forget_old(WallTime now);
  void damp(WallTime at);

  std::vector<Known> controllers_;
  /// The epoch: never yet.
  WallTime damped_until_{};
  /// Of the next time that new pods are kept off.
  Duration damping_ = kFirstDamping;
};

[[nodiscard]] nlohmann::json to_json(const ControlledEviction& eviction);
/// Reads what to_json() wrote. Errors: kMalformed for anything else.
[[nodiscard]] Result<ControlledEviction> controlled_eviction_from_json(const nlohmann::json& json);

}  // namespace evictd::kube
