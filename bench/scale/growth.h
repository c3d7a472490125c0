// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "evictd/result.h"

namespace evictd::bench {

/// How one measure grows with the number of pods, within one run.
struct Growth {
  std::string measure;
  /// Noise level: smaller values count as this one.
  double least = 0;
  /// Number of pods, and the median measured with it.
  std::vector<std::pair<int, double>> values;
};

/// Growth above this factor is not called linear; smaller factors are the variation of a shared
/// machine.
inline constexpr double kLinearWithin = 1.5;

/// The largest factor by which the measure grew faster than the pods, between any number of pods
/// and any larger one: 1 is linear, 2 is twice as much a pod. 0 with fewer than two numbers of
/// pods.
[[nodiscard]] double times_linear(const Growth& growth);

/// Errors: kInvalid, naming every measure that grows faster than the pods.
[[nodiscard]] Result<> judge(const std::vector<Growth>& all);

}  // namespace evictd::bench
