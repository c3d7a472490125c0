// SPDX-License-Identifier: Apache-2.0
#include "config/never_evict.h"

#include <algorithm>

namespace evictd::config {

bool names_pod(const NeverEvict& rules, std::string_view ns,
               const std::map<std::string, std::string, std::less<>>& labels) {
  return std::find(rules.namespaces.begin(), rules.namespaces.end(), ns) !=
             rules.namespaces.end() ||
         std::any_of(rules.labels.begin(), rules.labels.end(), [&](const LabelRule& rule) {
           const auto label = labels.find(rule.key);
           return label != labels.end() && (rule.any_value || label->second == rule.value);
         });
}

}  // namespace evictd::config
