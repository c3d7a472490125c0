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

/// The filesystems of this node as the configuration and the mounts have them.
/// May wait for two seconds where a directory does not answer; its place is then told by the text
/// of its path alone. Errors: mountinfo cannot be read.
[[nodiscard]] Result<disk::Places> find_places(const config::Settings& settings);

/// What the log has been told of already.
struct ToldOfDisks {
  /// As runtime_links() had them.
  std::string links;
  /// Filesystems that do not answer, by mount point.
  std::set<std::string> silent;
};

/// Where links among containerRuntimeRoots lead, as text: it is another one once evictd-kube was
/// told of other places by the runtime. Follows nothing.
[[nodiscard]] std::string runtime_links(const config::Settings& settings);

/// The thresholds in force once the layout is known, at the places that decisions name them by.
/// Errors: kInvalid for too many.
[[nodiscard]] Result<eviction::ThresholdTable> thresholds_in_force(const config::Config& config,
                                                                   eviction::DiskLayout layout);

/// What the filesystems are sampled for. Errors: as above.
[[nodiscard]] Result<disk::SampleWatch> sample_watch_of(const config::Config& config,
                                                        eviction::DiskLayout layout);

}  // namespace evictd::daemon
