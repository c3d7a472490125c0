// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace evictd::kube {

/// Which events were posted, so that the same one again is counted on it. Only the newest are
/// known. Pure.
class CountedEvents {
 public:
  struct Known {
    /// What makes two events the same: about whom, type, reason and message.
    std::string key;
    std::string name;
    std::string first_time;
    std::int64_t count = 1;
  };

  /// The one with this key, if it is known still.
  [[nodiscard]] const Known* find(const std::string& key) const;
  /// Replaces the one with its key, and is the newest then.
  void put(Known known);

  [[nodiscard]] nlohmann::json to_json() const;
  /// Takes what to_json() wrote; what is no such thing is left out.
  void take(const nlohmann::json& json);

 private:
  /// A pod has one or two, and the node one for each resource.
  static constexpr std::size_t kMostKnown = 256;

  std::deque<Known> known_;
};

}  // namespace evictd::kube
