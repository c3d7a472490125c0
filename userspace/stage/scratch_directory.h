// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::stage {

/// A private directory (mode 0700) on tmpfs where there is one, removed with all that is in it when
/// the object is destroyed. On tmpfs because a file written on a disk would leave page cache that
/// counts as usage. While the object lives the directory is locked and has a file "unfinished": one
/// with that file and without a lock was left by a process that was killed.
class ScratchDirectory {
 public:
  /// `prefix` starts its name: "evictd-demo-". Errors: as mkdtemp(3).
  static Result<ScratchDirectory> create(const std::string& prefix);
  /// Takes over, to be removed, what killed processes of this user left of such directories.
  /// Neither one that is in use nor one that was kept.
  [[nodiscard]] static std::vector<ScratchDirectory> take_abandoned(const std::string& prefix);
  /// Every directory of that beginning, whosesoever and in use or not.
  [[nodiscard]] static std::vector<std::filesystem::path> list(const std::string& prefix);

  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&& other) noexcept;
  ~ScratchDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Leaves it where it is, for good.
  void keep();
  /// Leaves it where it is, to be taken over again.
  void abandon() { kept_ = true; }

 private:
  ScratchDirectory(std::filesystem::path path, base::Fd lock);

  std::filesystem::path path_;
  /// The directory, locked by flock(2): the kernel lets go of it when this process ends, however.
  base::Fd lock_;
  bool kept_ = false;
};

}  // namespace evictd::stage
