// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/bytes.h"
#include "evictd/result.h"

namespace evictd::bench {

/// MemTotal of /proc/meminfo.
[[nodiscard]] Result<Bytes> memory_total();

}  // namespace evictd::bench
