// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mount.h>

#include <filesystem>
#include <utility>

namespace evictd::stage {

/// A private filesystem at its mount point. The destructor unmounts it; with own_mount_namespace()
/// it is also unmounted when this process is killed.
class PrivateMount {
 public:
  PrivateMount(const PrivateMount&) = delete;
  PrivateMount& operator=(const PrivateMount&) = delete;
  PrivateMount(PrivateMount&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateMount& operator=(PrivateMount&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  ~PrivateMount() { unmount(); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Unmounts as the kubelet does at a pod's end: the content is freed, unless a process has it
  /// open.
  void unmount() {
    if (!path_.empty()) {
      // A lazy unmount: a process with an open file keeps it only until it exits.
      ::umount2(path_.c_str(), MNT_DETACH);
      path_.clear();
    }
  }

 protected:
  explicit PrivateMount(std::filesystem::path path) : path_(std::move(path)) {}

 private:
  std::filesystem::path path_;
};

}  // namespace evictd::stage
