// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/result.h"

namespace evictd::bench {

/// In the virtual machine of scripts/vm: copies /run/out to the host, so that it survives if the
/// machine is killed. Does nothing elsewhere. Runs the program that EVICTD_VM_HAND_OUT names.
/// Errors: those of starting it; kTimedOut; kIo if it fails.
[[nodiscard]] Result<> hand_out();

}  // namespace evictd::bench
