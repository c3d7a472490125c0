// SPDX-License-Identifier: Apache-2.0
#include "config/change.h"

#include "config/keys.h"

namespace evictd::config {

std::vector<Change> diff(const Config& before, const Config& after) {
  std::vector<Change> changes;
  for (const Key& key : all_keys()) {
    const nlohmann::ordered_json old_value = key.write(before.settings());
    const nlohmann::ordered_json new_value = key.write(after.settings());
    if (old_value != new_value) {
      changes.push_back(Change{.key = key.name,
                               .effect = key.effect,
                               .before = old_value.dump(),
                               .after = new_value.dump()});
    }
  }
  return changes;
}

std::string restart_keys(const std::vector<Change>& changes) {
  std::string names;
  for (const Change& change : changes) {
    if (change.effect == Effect::kRestart) {
      names += (names.empty() ? "" : ", ") + change.key;
    }
  }
  return names;
}

}  // namespace evictd::config
