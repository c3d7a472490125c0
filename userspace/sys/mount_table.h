// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evictd::sys {

/// One line of /proc/self/mountinfo (Documentation/filesystems/proc.rst, 3.5).
struct Mount {
  /// Directory of the file system that is mounted; not "/" for a bind mount of a part.
  std::string root;
  /// Where, absolute, with the kernel's octal escapes undone.
  std::string point;
  /// "cgroup", "cgroup2", "ext4".
  std::string type;
  /// Options of the file system; a v1 hierarchy names its controllers here.
  std::string super_options;
  /// Major and minor number of its device as st_dev has them: "259:1". Not of a real device for
  /// file systems without one, and then still one number a file system.
  std::string device{};
  /// What was mounted: "/dev/vda1", or any word.
  std::string source{};
};

/// All mounts in the kernel's order, in which a later one hides an earlier one at the same point;
/// lines that are not as documented are left out.
[[nodiscard]] std::vector<Mount> parse_mounts(std::string_view text);

/// The mount that holds the absolute `path`, told by its text alone: nothing is opened, so that a
/// dead file system cannot make this wait. nullptr for a path that none of them holds.
[[nodiscard]] const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path);

/// The same mounts, those of whole file systems first, each group in the kernel's order.
[[nodiscard]] std::vector<Mount> parse_mount_table(std::string_view text);

/// `text` with the kernel's octal escapes undone: the options of a mount keep theirs, because what
/// is escaped in them separates them too.
[[nodiscard]] std::string unescape(std::string_view text);

/// The parts of `text` between separators, empty ones left out. The parts point into `text`.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace evictd::sys
