// SPDX-License-Identifier: Apache-2.0
#include "engine/newer_readings.h"

#include <cstddef>
#include <optional>

namespace evictd::engine {

NewerReadings::Roles NewerReadings::to_ask(const eviction::Decision& decision,
                                           const eviction::ThresholdTable& thresholds) {
  Roles to_ask{};
  for (const std::size_t place : decision.past_grace) {
    const std::optional<eviction::FilesystemRole> role =
        eviction::role_of(thresholds[place].signal);
    if (!role) {
      continue;
    }
    const auto index = static_cast<std::size_t>(*role);
    if (decision.actionable.has(place)) {
      unjudged_.at(index) = false;
    }
    to_ask.at(index) = unjudged_.at(index);
  }
  return to_ask;
}

}  // namespace evictd::engine
