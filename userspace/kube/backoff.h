// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "evictd/time.h"

namespace evictd::kube {

/// How long to wait after a failure: twice as long after each, of which a random part of one half
/// is left out, so that the nodes of a cluster do not come back at the same moment. Pure.
class Backoff {
 public:
  struct Options {
    Duration first = std::chrono::milliseconds(500);
    Duration most = std::chrono::seconds(30);
  };

  explicit Backoff(Options options) : options_(options), next_(options.first) {}

  /// `random` is at least 0 and below 1. Never shorter than `at_least`, which a server may have
  /// asked for, as long as that is within a sensible bound.
  [[nodiscard]] Duration failed(double random, Duration at_least = {}) {
    const Duration whole = next_;
    next_ = std::min(options_.most, next_ * 2);
    const auto left_out =
        static_cast<Duration::rep>(static_cast<double>(whole.count()) * random / 2);
    return std::max(whole - Duration(left_out), std::min(at_least, kMostAskedFor));
  }
  void succeeded() { next_ = options_.first; }

 private:
  /// More is not believed: pods would be unknown for so long.
  static constexpr Duration kMostAskedFor = std::chrono::minutes(2);

  Options options_;
  Duration next_;
};

}  // namespace evictd::kube
