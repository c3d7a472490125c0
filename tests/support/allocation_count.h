// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace evictd::test {

/// Number of allocations with `new` by the calling thread so far.
[[nodiscard]] std::size_t allocations();

}  // namespace evictd::test
