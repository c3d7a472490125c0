// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "evictd/result.h"

namespace evictd::stage {

/// A private directory (mode 0700) on tmpfs where there is one, removed with all that is in it when
/// the object is destroyed. On tmpfs because a file written on a disk would leave page cache that
/// counts as usage.
class ScratchDirectory {
 public:
  /// `prefix` starts its name: "evictd-demo-". Errors: as mkdtemp(3).
  static Result<ScratchDirectory> create(const std::string& prefix);

  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&& other) noexcept;
  ~ScratchDirectory();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Leaves it where it is.
  void keep() { kept_ = true; }

 private:
  explicit ScratchDirectory(std::filesystem::path path);

  std::filesystem::path path_;
  bool kept_ = false;
};

}  // namespace evictd::stage
