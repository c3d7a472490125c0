// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace evictd::test {

/// A directory that is removed with the object. A killed process leaves its directory; the next
/// process that creates one removes it. Each directory has a lock that the kernel drops with the
/// process.
class TemporaryDirectory {
 public:
  /// Throws std::runtime_error, which fails the test, if the directory cannot be created.
  TemporaryDirectory() {
    static const std::size_t removed_once = remove_abandoned();
    static_cast<void>(removed_once);
    make_in(usual_parent());
  }
  /// Creates it in `parent`, for tests that need that file system. Throws as above.
  explicit TemporaryDirectory(const std::filesystem::path& parent) {
    remove_abandoned(parent);
    make_in(parent);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  TemporaryDirectory(TemporaryDirectory&&) = delete;
  TemporaryDirectory& operator=(TemporaryDirectory&&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    ::close(lock_);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Removes directories without a lock holder; returns their number.
  static std::size_t remove_abandoned(const std::filesystem::path& parent = usual_parent()) {
    std::size_t count = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator entry{parent, error}, end; !error && entry != end;
         entry.increment(error)) {
      if (!entry->path().filename().string().starts_with(kPrefix)) {
        continue;
      }
      const int lock = locked(entry->path());
      if (lock >= 0) {
        std::error_code ignored;
        count += std::filesystem::remove_all(entry->path(), ignored) > 0 ? 1 : 0;
        ::close(lock);
      }
    }
    return count;
  }

 private:
  static constexpr const char* kPrefix = "evictd-test-tmp-";

  static std::filesystem::path usual_parent() { return std::filesystem::temp_directory_path(); }

  /// A descriptor that holds the lock of this process's directory; -1 if another process holds it.
  static int locked(const std::filesystem::path& directory) {
    const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
      return -1;
    }
    struct stat status {};
    if (::fstat(fd, &status) == 0 && status.st_uid == ::geteuid() && status.st_nlink > 0 &&
        ::flock(fd, LOCK_EX | LOCK_NB) == 0) {
      return fd;
    }
    ::close(fd);
    return -1;
  }

  void make_in(const std::filesystem::path& parent) {
    // Before it is locked, another process may consider it abandoned and remove it.
    while (path_.empty()) {
      try_to_make_in(parent);
    }
  }

  void try_to_make_in(const std::filesystem::path& parent) {
    std::string pattern = (parent / kPrefix).string() + "XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error("mkdtemp failed");
    }
    const int lock = locked(pattern);
    if (lock >= 0 && std::filesystem::exists(pattern)) {
      lock_ = lock;
      path_ = pattern;
    } else if (lock >= 0) {
      ::close(lock);
    }
  }

  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace evictd::test
