// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "cast/racing_daemon.h"

namespace evictd::bench {

/// Lets a trial begin anywhere in a poller's period; no pause where nobody polls.
void pause_in_period(EvictdMode mode, std::mt19937& random);

}  // namespace evictd::bench
