// SPDX-License-Identifier: Apache-2.0
#include "scale/growth.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace evictd::bench {
namespace {

/// "2.31"
std::string two_decimals(double value) {
  std::array<char, 32> text{};
  static_cast<void>(std::snprintf(text.data(), text.size(), "%.2f", value));
  return text.data();
}

}  // namespace

double times_linear(const Growth& growth) {
  double most = 0;
  for (const auto& [pods, value] : growth.values) {
    for (const auto& [more_pods, more] : growth.values) {
      if (more_pods <= pods) {
        continue;
      }
      const double grown = std::max(more, growth.least) / std::max(value, growth.least);
      most = std::max(most, grown * pods / more_pods);
    }
  }
  return most;
}

Result<> judge(const std::vector<Growth>& all) {
  std::string wrong;
  for (const Growth& growth : all) {
    const double times = times_linear(growth);
    if (times > kLinearWithin) {
      wrong += (wrong.empty() ? "" : ", ") + growth.measure + " " + two_decimals(times) + " times";
    }
  }
  return wrong.empty() ? Result<>()
                       : fail(Errc::kInvalid, "grows faster than the pods do: " + wrong +
                                                  "; allowed: " + two_decimals(kLinearWithin));
}

}  // namespace evictd::bench
