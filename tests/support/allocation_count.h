// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace evictd::test {

/// How often the calling thread asked for memory with `new` so far.
[[nodiscard]] std::size_t allocations();

}  // namespace evictd::test
