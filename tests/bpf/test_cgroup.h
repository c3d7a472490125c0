// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "evictd/cgroup_id.h"
#include "probe/watch.h"

namespace evictd::test {

inline constexpr std::int64_t kMiB = 1 << 20;
/// Charges are taken in batches per CPU: usage and the values in events may differ by this much.
inline constexpr std::int64_t kStock = 4 * kMiB;

/// One directory in the memory hierarchy and one of the same name in the pids hierarchy (the same
/// directory on v2), removed again with everything in it, also when the test fails.
class TestCgroup {
 public:
  /// A cgroup of its own name below the root of each hierarchy.
  static TestCgroup create();
  [[nodiscard]] TestCgroup create_child(const std::string& name) const;

  TestCgroup(TestCgroup&&) noexcept = default;
  TestCgroup& operator=(TestCgroup&&) = delete;
  ~TestCgroup();

  /// Moves a process into both directories.
  void attach(pid_t pid) const;
  /// Kills what is inside, waits for it to be reaped by its parent, and removes the directories.
  void remove();

  [[nodiscard]] probe::PodCgroup pod() const;
  [[nodiscard]] CgroupId memory_id() const { return memory_id_; }
  [[nodiscard]] CgroupId pids_id() const { return pids_id_; }
  [[nodiscard]] int memory_fd() const { return memory_fd_.get(); }
  [[nodiscard]] int pids_fd() const { return pids_fd_.get(); }
  /// From the root of the hierarchy, with a leading slash.
  [[nodiscard]] std::string path() const { return "/" + name_; }

  [[nodiscard]] std::uint64_t usage_bytes() const;
  [[nodiscard]] std::uint64_t inactive_file_bytes() const;
  [[nodiscard]] std::uint64_t tasks() const;
  void set_memory_limit(std::uint64_t bytes) const;
  /// A file of the directory in the memory hierarchy.
  [[nodiscard]] std::string read(const std::string& file) const;
  void write(const std::string& file, const std::string& text) const;

 private:
  explicit TestCgroup(std::string name);

  std::string name_;
  std::string memory_directory_;
  std::string pids_directory_;
  base::Fd memory_fd_;
  base::Fd pids_fd_;
  CgroupId memory_id_;
  CgroupId pids_id_;
};

/// The value of `key` in lines of "KEY VALUE", 0 if there is none.
[[nodiscard]] std::uint64_t stat_value(const std::string& text, const std::string& key);

/// Whether one cgroup v2 hierarchy has the memory and pids controllers.
[[nodiscard]] bool cgroups_are_unified();

}  // namespace evictd::test
