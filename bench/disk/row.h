// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cast/racing_daemon.h"
#include "stage/loop_filesystem.h"

namespace evictd::bench {

/// The filesystem to fill. containerfs is the same as imagefs.
enum class FilledFilesystem { kNode, kImage };
/// The resource to exhaust.
enum class FilledResource { kBytes, kInodes };

/// One row: the evicting program and the exhausted resource.
struct DiskRow {
  EvictdMode mode = EvictdMode::kBpf;
  FilledFilesystem filesystem = FilledFilesystem::kNode;
  FilledResource resource = FilledResource::kBytes;

  /// "evictd nodefs bytes"
  [[nodiscard]] std::string title() const;
  [[nodiscard]] nlohmann::json params() const;
  /// "nodefs.available"
  [[nodiscard]] std::string signal() const;
  /// Threshold of that signal; 0 for the resource that is not exhausted.
  [[nodiscard]] stage::Fullness threshold() const;
  /// The threshold as a number of bytes or inodes.
  [[nodiscard]] std::int64_t amount() const;
  /// What remains of the resource in `fullness`.
  [[nodiscard]] std::int64_t remaining_in(const stage::Fullness& fullness) const;
  /// In MiB or inodes, the units of the row's values.
  [[nodiscard]] double in_unit(std::int64_t amount) const;
  [[nodiscard]] const char* unit() const;
};

/// Every row, evictd before polling.
[[nodiscard]] std::vector<DiskRow> disk_rows();

/// The two filesystems of a node.
inline constexpr Bytes kDiskSize = 256_MiB;
inline constexpr std::int64_t kDiskInodes = 32768;

/// Paths of a row, all on private ground.
struct DiskGround {
  std::string cgroup_root;
  std::filesystem::path directory;
  std::filesystem::path node;
  std::filesystem::path image;

  [[nodiscard]] std::filesystem::path manifests() const { return directory / "manifests"; }
};

/// evictd's configuration for a row, as JSON, which is valid YAML.
[[nodiscard]] std::string disk_config(const DiskRow& row, const DiskGround& ground);

}  // namespace evictd::bench
