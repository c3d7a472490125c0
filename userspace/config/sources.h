// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "config/kubelet_flags.h"

namespace evictd::config {

/// Where a configuration comes from, weakest first; what is empty is not there. Each overrides what
/// those before it say, a mapping as a whole; only drop-in files change single entries of a
/// mapping.
struct Sources {
  /// evictd's own file.
  std::string config_file;
  /// The kubelet's file, its --config.
  std::string kubelet_config_file;
  /// Its drop-in files, its --config-dir.
  std::string kubelet_config_dir;
  /// Its flags.
  std::vector<GivenFlag> flags;

  /// Whether there is a file that may change while evictd runs.
  [[nodiscard]] bool has_files() const {
    return !config_file.empty() || !kubelet_config_file.empty() || !kubelet_config_dir.empty();
  }
  bool operator==(const Sources&) const = default;
};

/// The files by name, joined by ", ", for a log.
[[nodiscard]] std::string to_string(const Sources& sources);

/// Reads and judges all sources as a whole.
/// Errors: one Error for the first thing wrong, in the order of the sources, as load_file() has
/// them; "flag NAME: KEY: VALUE: ..." for a flag; those of drop_in_files(). Cost: allocates; not
/// for the hot thread.
[[nodiscard]] Result<Config> load(const Sources& sources, const Vocabulary& vocabulary = {});

}  // namespace evictd::config
