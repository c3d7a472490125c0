// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "export/comparison.h"

namespace evictd::kube::test {

inline WallTime wall_second(std::int64_t second) {
  return WallTime(std::chrono::seconds(1'700'000'000 + second));
}

inline MonoTime mono_second(std::int64_t second) {
  return MonoTime(std::chrono::seconds(1000 + second));
}

/// Of a dry run.
inline exporting::ComparedEviction decided(std::uint64_t id, const std::string& uid,
                                           std::int64_t second) {
  return {.ns = "n",
          .name = "pod-" + uid,
          .uid = uid,
          .time = wall_second(second),
          .time_source = "record",
          .resource = "memory",
          .id = id};
}

/// By a kubelet.
inline exporting::ComparedEviction evicted(const std::string& uid, std::int64_t second) {
  return {.ns = "n",
          .name = "pod-" + uid,
          .uid = uid,
          .time = wall_second(second),
          .precision = std::chrono::seconds(1),
          .time_source = "condition",
          .resource = "memory"};
}

}  // namespace evictd::kube::test
