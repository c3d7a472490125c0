// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/result.h"

namespace evictd::base {

/// Hands on what std::cout and stdout still hold: the last thing that a program does which prints
/// answers, so that a full disk is no success. Forgets a failure once it has told of it.
/// Errors: what write(2) says of that, or that an earlier write to either has failed.
[[nodiscard]] Result<> flush_standard_output();

}  // namespace evictd::base
