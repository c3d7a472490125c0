// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/fd.h"
#include "disk/beneath.h"
#include "disk/pace.h"
#include "evictd/result.h"

namespace evictd::disk {

/// Usage of a directory and its subtree.
struct TreeUsage {
  /// Allocated blocks, in bytes.
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;
  /// Mounts below it, which are not counted.
  std::uint64_t mounts = 0;
  /// Entries that disappeared between listing and reading.
  std::uint64_t vanished = 0;
  /// False: the walk was given up, or a directory was moved during it; the rest is missing.
  bool complete = true;
  /// The allowed steps were used up: the numbers are lower bounds.
  bool cut_short = false;
};

/// Sums up a tree as the kubelet does: blocks of 512 bytes and inodes, the directory itself
/// included. Counts each inode once, whatever its number of links. Follows no symbolic link and
/// enters no other mount. Can be interrupted and continued. Holds at most some thirty descriptors,
/// at any depth, and none between two calls.
class TreeWalk {
 public:
  /// Most inodes with several links that all walks with a shared limit remember; further ones count
  /// once per link. About 16 MiB.
  static constexpr std::size_t kMostLinked = 400'000;

  /// `linked_left`: how many more may be remembered. Borrowed.
  explicit TreeWalk(std::size_t& linked_left) : linked_left_(&linked_left) {}
  TreeWalk(const TreeWalk&) = delete;
  TreeWalk& operator=(const TreeWalk&) = delete;
  ~TreeWalk();

  /// Continues the walk through `directory`, the same in each call, until its end, or until the
  /// pace requires to give up. Returns the result so far.
  /// Errors: those of open(2) and statx(2) for the directory itself.
  [[nodiscard]] Result<TreeUsage> advance(int directory, Pace& pace);
  /// The whole tree was visited.
  [[nodiscard]] bool done() const { return top_ && levels_.empty(); }

 private:
  struct Entry {
    DirectoryIdentity identity;
    std::uint64_t blocks = 0;
    std::uint32_t links = 0;
    bool directory = false;
    bool mount_root = false;
  };
  struct Level {
    std::string name;
    std::uint64_t inode = 0;
    /// Its directories that are not visited yet.
    std::vector<std::string> below;
    /// Position of the listing, from telldir(3); unset at its end.
    std::optional<long> listed_to;
    /// Empty beyond the levels that are kept open.
    base::Fd directory;
  };

  static std::optional<Entry> look(int directory, const char* name);
  [[nodiscard]] int current() const;
  Result<> begin(int directory);
  void reopen(int directory);
  void release();
  void hold(base::Fd directory);
  void list(Pace& pace);
  void count(int directory, const char* name);
  void go_down();
  void go_up();
  bool add(const Entry& entry);

  TreeUsage usage_;
  std::optional<DirectoryIdentity> top_;
  std::vector<Level> levels_;
  /// The deepest level, if its Level does not keep it open.
  base::Fd deep_;
  std::unordered_set<std::uint64_t> linked_;
  std::size_t* linked_left_;
};

}  // namespace evictd::disk
