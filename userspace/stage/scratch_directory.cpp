// SPDX-License-Identifier: Apache-2.0
#include "stage/scratch_directory.h"

#include <linux/magic.h>
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

std::filesystem::path parent() {
  for (const char* candidate : {"/run", "/dev/shm"}) {
    if (is_tmpfs(candidate) && ::access(candidate, W_OK) == 0) {
      return candidate;
    }
  }
  return std::filesystem::temp_directory_path();
}

}  // namespace

Result<ScratchDirectory> ScratchDirectory::create(const std::string& prefix) {
  std::string name = parent() / (prefix + "XXXXXX");
  if (::mkdtemp(name.data()) == nullptr) {
    return fail_errno(errno, "make " + name);
  }
  return ScratchDirectory{name};
}

ScratchDirectory::ScratchDirectory(std::filesystem::path path) : path_(std::move(path)) {}

ScratchDirectory::ScratchDirectory(ScratchDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})), kept_(other.kept_) {}

ScratchDirectory& ScratchDirectory::operator=(ScratchDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(kept_, other.kept_);
  return *this;
}

ScratchDirectory::~ScratchDirectory() {
  if (!path_.empty() && !kept_) {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
}

}  // namespace evictd::stage
