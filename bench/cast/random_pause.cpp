// SPDX-License-Identifier: Apache-2.0
#include "cast/random_pause.h"

#include <ctime>

namespace evictd::bench {
namespace {

/// Default pollInterval, which equals the kubelet's.
constexpr long kPollMs = 10'000;

}  // namespace

void pause_in_period(EvictdMode mode, std::mt19937& random) {
  if (mode != EvictdMode::kPoll) {
    return;
  }
  std::uniform_int_distribution<long> draw{0, kPollMs - 1};
  const long pause = draw(random);
  const timespec time{pause / 1000, pause % 1000 * 1'000'000};
  ::nanosleep(&time, nullptr);
}

}  // namespace evictd::bench
