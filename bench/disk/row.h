// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cast/racing_daemon.h"
#include "stage/loop_filesystem.h"

namespace evictd::bench {

/// The filesystem that is filled. containerfs is that of imagefs.
enum class FilledFilesystem { kNode, kImage };
/// What of it is used up.
enum class FilledResource { kBytes, kInodes };

/// One row: who evicts, and what runs out.
struct DiskRow {
  EvictdMode mode = EvictdMode::kBpf;
  FilledFilesystem filesystem = FilledFilesystem::kNode;
  FilledResource resource = FilledResource::kBytes;

  /// "evictd nodefs bytes"
  [[nodiscard]] std::string title() const;
  [[nodiscard]] nlohmann::json params() const;
  /// "nodefs.available"
  [[nodiscard]] std::string signal() const;
  /// Of that signal; 0 for what is not used up.
  [[nodiscard]] stage::Fullness threshold() const;
  /// The number of the threshold, in bytes or inodes.
  [[nodiscard]] std::int64_t amount() const;
  /// Of the resource: what is left of `fullness`.
  [[nodiscard]] std::int64_t left_of(const stage::Fullness& fullness) const;
  /// MiB or inodes, as the row's figures are.
  [[nodiscard]] double in_unit(std::int64_t amount) const;
  [[nodiscard]] const char* unit() const;
};

/// Every row, evictd before polling.
[[nodiscard]] std::vector<DiskRow> disk_rows();

/// The two filesystems of a node.
inline constexpr Bytes kDiskSize = 256_MiB;
inline constexpr std::int64_t kDiskInodes = 32768;

/// Where things are, all on a private ground.
struct DiskGround {
  std::string cgroup_root;
  std::filesystem::path directory;
  std::filesystem::path node;
  std::filesystem::path image;

  [[nodiscard]] std::filesystem::path manifests() const { return directory / "manifests"; }
};

/// evictd's configuration for a row, as JSON, which is YAML.
[[nodiscard]] std::string disk_config(const DiskRow& row, const DiskGround& ground);

}  // namespace evictd::bench
