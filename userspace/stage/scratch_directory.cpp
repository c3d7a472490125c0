// SPDX-License-Identifier: Apache-2.0
#include "stage/scratch_directory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace evictd::stage {
namespace {

bool is_tmpfs(const std::filesystem::path& path) {
  struct statfs status {};
  return ::statfs(path.c_str(), &status) == 0 && status.f_type == TMPFS_MAGIC;
}

/// Parent directories in the order of preference.
std::vector<std::filesystem::path> parents() {
  std::vector<std::filesystem::path> usable;
  for (const char* candidate : {"/run", "/dev/shm"}) {
    if (is_tmpfs(candidate) && ::access(candidate, W_OK) == 0) {
      usable.emplace_back(candidate);
    }
  }
  usable.push_back(std::filesystem::temp_directory_path());
  return usable;
}

std::filesystem::path mark_in(const std::filesystem::path& directory) {
  return directory / "unfinished";
}

base::Fd open_own(const std::filesystem::path& path) {
  base::Fd fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  struct stat status {};
  const bool is_ours = fd && ::fstat(fd.get(), &status) == 0 && status.st_uid == ::geteuid();
  return is_ours ? std::move(fd) : base::Fd{};
}

bool has_mark(int directory) {
  return ::faccessat(directory, "unfinished", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace

Result<ScratchDirectory> ScratchDirectory::create(const std::string& prefix) {
  std::string name = parents().front() / (prefix + "XXXXXX");
  if (::mkdtemp(name.data()) == nullptr) {
    return fail_errno(errno, "make " + name);
  }
  base::Fd lock = open_own(name);
  // Locked before it is marked: a mark without a lock means that the directory was left behind.
  if (!lock || ::flock(lock.get(), LOCK_EX) != 0) {
    return fail_errno(errno, "lock " + name);
  }
  const base::Fd mark{::open(mark_in(name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
  if (!mark) {
    return fail_errno(errno, "make " + mark_in(name).string());
  }
  return ScratchDirectory{name, std::move(lock)};
}

std::vector<std::filesystem::path> ScratchDirectory::list(const std::string& prefix) {
  std::vector<std::filesystem::path> found;
  std::error_code ignored;
  for (const std::filesystem::path& parent : parents()) {
    for (std::filesystem::directory_iterator entry{parent, ignored}, end; entry != end;
         entry.increment(ignored)) {
      if (entry->path().filename().string().starts_with(prefix)) {
        found.push_back(entry->path());
      }
    }
  }
  return found;
}

std::vector<ScratchDirectory> ScratchDirectory::take_abandoned(const std::string& prefix) {
  std::vector<ScratchDirectory> taken;
  for (const std::filesystem::path& path : list(prefix)) {
    base::Fd lock = open_own(path);
    if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 && has_mark(lock.get())) {
      taken.push_back(ScratchDirectory{path, std::move(lock)});
    }
  }
  return taken;
}

ScratchDirectory::ScratchDirectory(std::filesystem::path path, base::Fd lock)
    : path_(std::move(path)), lock_(std::move(lock)) {}

ScratchDirectory::ScratchDirectory(ScratchDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)), kept_(other.kept_) {}

ScratchDirectory& ScratchDirectory::operator=(ScratchDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  std::swap(kept_, other.kept_);
  return *this;
}

void ScratchDirectory::keep() {
  kept_ = true;
  std::error_code ignored;
  std::filesystem::remove(mark_in(path_), ignored);
}

ScratchDirectory::~ScratchDirectory() {
  if (path_.empty() || kept_) {
    return;
  }
  std::error_code ignored;
  // The mark last: if this process is killed meanwhile, the rest can still be taken over.
  for (std::filesystem::directory_iterator entry{path_, ignored}, end; entry != end;
       entry.increment(ignored)) {
    if (entry->path() != mark_in(path_)) {
      std::filesystem::remove_all(entry->path(), ignored);
    }
  }
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace evictd::stage
