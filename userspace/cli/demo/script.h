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

/// A pod of the demonstration that behaves: it takes what it holds and keeps it.
struct Bystander {
  stage::PodSpec spec;
  Bytes holds;
};

/// Who plays, and who must die. Literal: nothing here is computed by the code that is judged.
struct Script {
  std::vector<Bystander> bystanders;
  stage::PodSpec hog;
  std::string expected_victim;
  /// Why a kubelet would take that one.
  std::string because;
};
[[nodiscard]] Script script_of(Scenario scenario);

/// How large the play is on this machine.
struct Sizes {
  /// From rest to the threshold.
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

/// A sixteenth of what is available for each, up to what shows well and no more.
/// Errors: kExhausted when less than 320 MiB is available.
[[nodiscard]] Result<Sizes> sizes_for(Bytes available);

/// MemAvailable of /proc/meminfo.
[[nodiscard]] Result<Bytes> memory_available();

}  // namespace evictd::demo
