// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "demo/demo.h"
#include "evictd/bytes.h"
#include "evictd/result.h"
#include "stage/pod_spec.h"

namespace evictd::demo {

/// A well-behaved pod of the demonstration: it allocates its memory and keeps it.
struct Bystander {
  stage::PodSpec spec;
  Bytes holds;
};

/// The pods, and the expected victim. Literal: never computed by the code under test.
struct Script {
  std::vector<Bystander> bystanders;
  stage::PodSpec hog;
  std::string expected_victim;
  /// Why a kubelet would evict that one.
  std::string because;
};
[[nodiscard]] Script script_of(Scenario scenario);

/// The dimensions of the play on this machine.
struct Sizes {
  /// From the initial usage to the threshold.
  Bytes run_up;
  /// From the threshold to the limit: at least 64 MiB.
  Bytes headroom;
  std::int64_t tasks_run_up = 256;
  std::int64_t tasks_headroom = 1024;
  /// Of the filesystem of the disk scenarios.
  Bytes disk = 256_MiB;
  std::int64_t inodes = 32768;
  /// What is left of it when the threshold is met.
  Bytes disk_headroom = 96_MiB;
  std::int64_t inodes_headroom = 16384;
  /// sizeLimit of the hog's emptyDir.
  Bytes empty_dir_limit = 32_MiB;
};

/// A sixteenth of what is available for each size, up to fixed maxima.
/// Errors: kExhausted if less than 320 MiB is available.
[[nodiscard]] Result<Sizes> sizes_for(Bytes available);

/// MemAvailable of /proc/meminfo.
[[nodiscard]] Result<Bytes> memory_available();

}  // namespace evictd::demo
