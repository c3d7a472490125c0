// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::stage {

/// A private directory (mode 0700), on tmpfs if there is one; the destructor removes it with its
/// content. tmpfs, because a file on a disk would leave page cache that counts as usage. While the
/// object exists, the directory is locked and has a file "unfinished". A directory with that file
/// but no lock was left by a killed process.
class ScratchDirectory {
 public:
  /// Its name starts with `prefix`: "evictd-demo-". Errors: as mkdtemp(3).
  static Result<ScratchDirectory> create(const std::string& prefix);
  /// Takes over, for removal, the directories that killed processes of this user left. Skips those
  /// in use and those kept.
  [[nodiscard]] static std::vector<ScratchDirectory> take_abandoned(const std::string& prefix);
  /// Every directory with this prefix, of any user, in use or not.
  [[nodiscard]] static std::vector<std::filesystem::path> list(const std::string& prefix);

  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&& other) noexcept;
  ~ScratchDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Leaves it in place permanently.
  void keep();
  /// Leaves it in place, to be taken over later.
  void abandon() { kept_ = true; }

 private:
  ScratchDirectory(std::filesystem::path path, base::Fd lock);

  std::filesystem::path path_;
  /// The directory, locked by flock(2): the kernel releases the lock whenever this process ends.
  base::Fd lock_;
  bool kept_ = false;
};

}  // namespace evictd::stage
