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
  /// Below this the measure is noise: what is less counts as so much.
  double least = 0;
  /// Pods and the median measured with so many.
  std::vector<std::pair<int, double>> values;
};

/// Beyond it growth is no longer called linear; below it is what measurements on a shared machine
/// differ by.
inline constexpr double kLinearWithin = 1.5;

/// The most by which the measure grew faster than the pods did, between any number of pods and any
/// larger one: 1 is linear, 2 is twice as much a pod. 0 with less than two numbers of pods.
[[nodiscard]] double times_linear(const Growth& growth);

/// Errors: kInvalid, naming every measure that grows faster than the pods do.
[[nodiscard]] Result<> judge(const std::vector<Growth>& all);

}  // namespace evictd::bench
