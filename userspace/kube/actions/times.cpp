// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/times.h"

#include <fmt/chrono.h>

#include <chrono>

namespace evictd::kube {

std::string whole_seconds(WallTime moment) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(moment);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

}  // namespace evictd::kube
