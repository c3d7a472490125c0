// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/config.h"
#include "disk/filesystems.h"
#include "disk/sampler.h"
#include "evictd/result.h"
#include "eviction/disk_layout.h"
#include "eviction/threshold_table.h"

namespace evictd::daemon {

/// Finds this node's filesystems from the configuration and the mounts. May block for two seconds
/// if a directory does not answer; its filesystem is then found from the path text alone. Errors:
/// mountinfo cannot be read.
[[nodiscard]] Result<disk::Places> find_places(const config::Settings& settings);

/// What was already logged about disks.
struct LoggedDisks {
  /// The last result of runtime_links().
  std::string links;
  /// Filesystems that do not answer, by mount point.
  std::set<std::string> silent;
};

/// Returns the targets of the symbolic links in containerRuntimeRoots, as text. The text changes
/// after the runtime reports other paths to evictd-kube. Follows no link.
[[nodiscard]] std::string runtime_links(const config::Settings& settings);

/// Returns the thresholds in force once the layout is known, at the indices that decisions use.
/// Errors: kInvalid for too many.
[[nodiscard]] Result<eviction::ThresholdTable> thresholds_in_force(const config::Config& config,
                                                                   eviction::DiskLayout layout);

/// Returns what the filesystems are sampled for. Errors: as above.
[[nodiscard]] Result<disk::SampleWatch> sample_watch_of(const config::Config& config,
                                                        eviction::DiskLayout layout);

}  // namespace evictd::daemon
