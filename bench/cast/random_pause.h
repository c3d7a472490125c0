// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "cast/racing_daemon.h"

namespace evictd::bench {

/// Starts a trial at a random point of a poller's period; no pause if `mode` does not poll.
void pause_in_period(EvictdMode mode, std::mt19937& random);

}  // namespace evictd::bench
