// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "evictd/bytes.h"
#include "evictd/result.h"

namespace evictd::stage {

enum class QosClass { kGuaranteed, kBurstable, kBestEffort };

/// A staged pod's manifest.
struct PodSpec {
  std::string name;
  QosClass qos = QosClass::kBestEffort;
  std::int32_t priority = 0;
  /// 0: none. A guaranteed pod's limit is its request.
  Bytes memory_request{0};
  /// 0: none.
  Bytes memory_limit{0};
  std::int64_t termination_grace_seconds = 30;
  /// An emptyDir volume "data".
  bool empty_dir = false;
  /// Its sizeLimit; 0: none.
  Bytes empty_dir_limit{0};
};

/// A v1.Pod as JSON, in the kubelet's form, with `uid`.
[[nodiscard]] std::string manifest(const PodSpec& spec, const std::string& uid);

/// Name of the emptyDir volume that a PodSpec may have.
inline constexpr const char* kEmptyDirName = "data";

/// A random (version 4) UUID in its usual form.
[[nodiscard]] std::string random_uid();

}  // namespace evictd::stage
