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

/// What a directory and all below it take up.
struct TreeUsage {
  /// Blocks that are allocated, in bytes.
  std::uint64_t bytes = 0;
  std::uint64_t inodes = 0;
  /// Other mounts that were found below it and left out.
  std::uint64_t mounts = 0;
  /// Entries that went away between being listed and being looked at.
  std::uint64_t vanished = 0;
  /// False: it was given up, or a directory was moved away under it; the rest is missing.
  bool complete = true;
  /// The steps that it was allowed were used up: at least so much is there.
  bool cut_short = false;
};

/// Adds up a tree as the kubelet does: blocks of 512 bytes and inodes, each inode once however many
/// links it has, symbolic links not followed, nothing of another mount, the directory itself
/// included. It may be interrupted and goes on from the same place. Holds no more than some thirty
/// descriptors however deep the tree is, and none between two calls.
class TreeWalk {
 public:
  /// Inodes with several links that are remembered by all walks that share the number; those beyond
  /// count once a link. About 16 MiB.
  static constexpr std::size_t kMostLinked = 400'000;

  /// `linked_left`: how many more may be remembered. Borrowed.
  explicit TreeWalk(std::size_t& linked_left) : linked_left_(&linked_left) {}
  TreeWalk(const TreeWalk&) = delete;
  TreeWalk& operator=(const TreeWalk&) = delete;
  ~TreeWalk();

  /// Walks on through the tree of `directory`, which is the same in each call, until its end or
  /// until the pace says to give up. Answers all that was found so far.
  /// Errors: those of open(2) and statx(2) for the directory itself.
  [[nodiscard]] Result<TreeUsage> advance(int directory, Pace& pace);
  /// All of the tree was looked at.
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
    /// Directories in it that are still to be visited.
    std::vector<std::string> below;
    /// How far it was listed, as telldir(3) says; nothing once it was to its end.
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
  /// The deepest level where it is not kept.
  base::Fd deep_;
  std::unordered_set<std::uint64_t> linked_;
  std::size_t* linked_left_;
};

/// A walk that is not gone on with.
[[nodiscard]] Result<TreeUsage> measure_tree(int directory, Pace& pace);

}  // namespace evictd::disk
