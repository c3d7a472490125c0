// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/result.h"

namespace evictd::base {

/// Flushes std::cout and stdout. A program that prints answers calls this last, so that a full disk
/// is an error. Clears a failure once it has returned it.
/// Errors: those of write(2), or that an earlier write to either has failed.
[[nodiscard]] Result<> flush_standard_output();

}  // namespace evictd::base
