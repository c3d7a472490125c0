// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace evictd::kube {

/// Remembers which events were posted, so that a repeated event is counted on the existing object.
/// Keeps only the newest events. Pure.
class CountedEvents {
 public:
  struct Known {
    /// Two events are the same if these are equal: object, type, reason and message.
    std::string key;
    std::string name;
    std::string first_time;
    std::int64_t count = 1;
  };

  /// Returns the event with this key; nullptr if it is not known (any more).
  [[nodiscard]] const Known* find(const std::string& key) const;
  /// Replaces the event with the same key and makes it the newest.
  void put(Known known);

  [[nodiscard]] nlohmann::json to_json() const;
  /// Takes what to_json() wrote; skips malformed elements.
  void take(const nlohmann::json& json);

 private:
  /// A pod has one or two events, and the node has one for each resource.
  static constexpr std::size_t kMostKnown = 256;

  std::deque<Known> known_;
};

}  // namespace evictd::kube
