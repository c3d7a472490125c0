// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/pass_rules.h"

#include <iterator>
#include <utility>

namespace evictd::daemon {

void PassRules::use(std::uint64_t generation, Rules rules) {
  rules_.insert_or_assign(generation, std::move(rules));
}

const PassRules::Rules& PassRules::of(std::uint64_t generation) const {
  const auto found = rules_.find(generation);
  return found == rules_.end() ? std::prev(rules_.end())->second : found->second;
}

void PassRules::forget_before(std::uint64_t generation) {
  if (const auto first = rules_.find(generation); first != rules_.end()) {
    rules_.erase(rules_.begin(), first);
  }
}

}  // namespace evictd::daemon
