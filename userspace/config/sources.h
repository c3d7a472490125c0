// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "config/config.h"
#include "config/kubelet_flags.h"

namespace evictd::config {

/// Sources of a configuration, weakest first; an empty member is absent. Each source overrides the
/// ones before it, a mapping as a whole. Only drop-in files change single entries of a mapping.
struct Sources {
  /// evictd's own file.
  std::string config_file;
  /// The kubelet's file, its --config.
  std::string kubelet_config_file;
  /// Its drop-in files, its --config-dir.
  std::string kubelet_config_dir;
  /// Its flags.
  std::vector<GivenFlag> flags;

  /// Whether any source is a file, which may change while evictd runs.
  [[nodiscard]] bool has_files() const {
    return !config_file.empty() || !kubelet_config_file.empty() || !kubelet_config_dir.empty();
  }
  bool operator==(const Sources&) const = default;
};

/// The file names, joined by ", ", for a log.
[[nodiscard]] std::string to_string(const Sources& sources);

/// Reads and validates all sources together. Errors: one Error for the first problem, in the order
/// of the sources, as load_file() has them; "flag NAME: KEY: VALUE: ..." for a flag; those of
/// drop_in_files(). Cost: allocates; not for the hot thread.
[[nodiscard]] Result<Config> load(const Sources& sources, const Vocabulary& vocabulary = {});

}  // namespace evictd::config
