// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <utility>

#include "evictd/result.h"

namespace evictd::daemon::test {

/// Unwraps what a test cannot go on without.
template <typename T>
T must(Result<T> result) {
  if (!result) {
    throw std::runtime_error(result.error().message());
  }
  return std::move(*result);
}

inline void must(Result<> result) {
  if (!result) {
    throw std::runtime_error(result.error().message());
  }
}

}  // namespace evictd::daemon::test
