// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "evictd/time.h"

namespace evictd::kube {

/// Delay after a failure: doubles after each one. A random part of up to one half is subtracted, so
/// that the nodes of a cluster do not come back at the same moment. Pure.
class Backoff {
 public:
  struct Options {
    Duration first = std::chrono::milliseconds(500);
    Duration most = std::chrono::seconds(30);
  };

  explicit Backoff(Options options) : options_(options), next_(options.first) {}

  /// `random` is in [0, 1). Returns at least `at_least`, which the server may have asked for,
  /// within kLongestRetryAfter.
  [[nodiscard]] Duration failed(double random, Duration at_least = {}) {
    const Duration whole = next_;
    next_ = std::min(options_.most, next_ * 2);
    const auto left_out =
        static_cast<Duration::rep>(static_cast<double>(whole.count()) * random / 2);
    return std::max(whole - Duration(left_out), std::min(at_least, kLongestRetryAfter));
  }
  void succeeded() { next_ = options_.first; }

 private:
  /// Ignores longer requests: pods would be unknown for so long.
  static constexpr Duration kLongestRetryAfter = std::chrono::minutes(2);

  Options options_;
  Duration next_;
};

}  // namespace evictd::kube
