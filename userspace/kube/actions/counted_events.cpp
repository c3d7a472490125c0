// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/counted_events.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace evictd::kube {

const CountedEvents::Known* CountedEvents::find(const std::string& key) const {
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [&](const Known& known) { return known.key == key; });
  return found == known_.end() ? nullptr : &*found;
}

void CountedEvents::put(Known known) {
  std::erase_if(known_, [&](const Known& other) { return other.key == known.key; });
  known_.push_back(std::move(known));
  if (known_.size() > kMostKnown) {
    known_.pop_front();
  }
}

nlohmann::json CountedEvents::to_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const Known& known : known_) {
    list.push_back({known.key, known.name, known.first_time, known.count});
  }
  return list;
}

void CountedEvents::take(const nlohmann::json& json) {
  constexpr std::size_t kMembers = 4;
  for (const nlohmann::json& one : json) {
    const bool is_known = one.is_array() && one.size() == kMembers && one[0].is_string() &&
                          one[1].is_string() && one[2].is_string() && one[3].is_number_integer();
    if (is_known) {
      put({.key = one[0].get<std::string>(),
           .name = one[1].get<std::string>(),
           .first_time = one[2].get<std::string>(),
           .count = one[3].get<std::int64_t>()});
    }
  }
}

}  // namespace evictd::kube
