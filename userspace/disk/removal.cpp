// SPDX-License-Identifier: Apache-2.0
// Takes away what an evicted pod left in its emptyDir volumes.
#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "disk/pod_storage.h"

namespace evictd::disk {

namespace {

constexpr int kOpenDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

struct CloseStream {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

struct Names {
  std::vector<std::string> all;
  /// errno of a directory that could not be listed to its end, else 0.
  int failure = 0;
};

Names names_in(int directory) {
  Names names;
  base::Fd own(::openat(directory, ".", kOpenDirectory));
  const std::unique_ptr<DIR, CloseStream> stream(own ? ::fdopendir(own.get()) : nullptr);
  if (!stream) {
    names.failure = errno;
    return names;
  }
  static_cast<void>(own.release());
  for (errno = 0; const dirent* entry = ::readdir(stream.get()); errno = 0) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.all.emplace_back(name);
    }
  }
  names.failure = errno;
  return names;
}

bool is_tmpfs(int directory) {
  struct statfs answer {};
  return ::fstatfs(directory, &answer) == 0 && answer.f_type == TMPFS_MAGIC;
}

bool is_mount_root(int directory) {
  struct statx answer {};
  return ::statx(directory, "", AT_EMPTY_PATH, 0, &answer) == 0 &&
         (answer.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

class Removal {
 public:
  explicit Removal(Pace& pace) : pace_(pace) {}

  /// Empties `directory`. Goes back up by "..", so that depth costs no descriptors.
  void empty(base::Fd directory) {
    levels_.clear();
    levels_.push_back({.name = {}, .below = files_out_of(directory.get())});
    while (directory && !levels_.empty()) {
      directory =
          levels_.back().below.empty() ? up(std::move(directory)) : down(std::move(directory));
    }
  }

  /// Something could not be looked at: 0 and ENOENT mean that there is nothing to remove.
  void note(int error) {
    if (failure_ == 0 && error != ENOENT) {
      failure_ = error;
    }
  }

  [[nodiscard]] std::uint64_t removed() const { return removed_; }
  /// errno of the first removal that failed, 0 if none did.
  [[nodiscard]] int failure() const { return failure_; }

 private:
  struct Level {
    std::string name;
    std::vector<std::string> below;
  };

  base::Fd down(base::Fd directory) {
    std::string name = std::move(levels_.back().below.back());
    levels_.back().below.pop_back();
    base::Fd next(::openat(directory.get(), name.c_str(), kOpenDirectory));
    if (!next || is_mount_root(next.get())) {
      note(next ? EBUSY : errno);
      return directory;
    }
    std::vector<std::string> below = files_out_of(next.get());
    levels_.push_back({.name = std::move(name), .below = std::move(below)});
    return next;
  }

  base::Fd up(base::Fd directory) {
    const std::string done = std::move(levels_.back().name);
    levels_.pop_back();
    if (levels_.empty()) {
      return directory;
    }
    base::Fd parent(::openat(directory.get(), "..", kOpenDirectory));
    note(parent ? 0 : errno);
    if (parent) {
      take(::unlinkat(parent.get(), done.c_str(), AT_REMOVEDIR));
    }
    return parent;
  }

  /// Removes the files in `directory`; answers the directories.
  std::vector<std::string> files_out_of(int directory) {
    std::vector<std::string> directories;
    Names names = names_in(directory);
    note(names.failure);
    for (std::string& name : names.all) {
      if (!pace_.spend()) {
        note(ECANCELED);
        return {};
      }
      const int unlinked = ::unlinkat(directory, name.c_str(), 0);
      if (unlinked != 0 && errno == EISDIR) {
        directories.push_back(std::move(name));
      } else {
        take(unlinked);
      }
    }
    return directories;
  }

  void take(int unlinked) {
    if (unlinked == 0) {
      ++removed_;
    } else {
      note(errno);
    }
  }

  Pace& pace_;
  std::vector<Level> levels_;
  std::uint64_t removed_ = 0;
  int failure_ = 0;
};

}  // namespace

Result<std::uint64_t> remove_empty_dir_data(const std::string& kubelet_root, const std::string& uid,
                                            Pace& pace, VolumesOf which) {
  const std::string path = empty_dirs_of(kubelet_root, uid);
  const base::Fd volumes(::open(path.c_str(), kOpenDirectory));
  if (!volumes) {
    return errno == ENOENT ? Result<std::uint64_t>(0) : fail_errno(errno, "open " + path);
  }
  Removal removal(pace);
  const Names names = names_in(volumes.get());
  removal.note(names.failure);
  for (const std::string& name : names.all) {
    // The volume itself may be a mount: a tmpfs for the medium Memory.
    base::Fd volume(::openat(volumes.get(), name.c_str(), kOpenDirectory));
    if (volume && which == VolumesOf::kMemory &&
        !(is_tmpfs(volume.get()) && is_mount_root(volume.get()))) {
      continue;
    }
    if (volume) {
      removal.empty(std::move(volume));
    } else if (errno != ENOTDIR && errno != ELOOP) {
      removal.note(errno);
    }
  }
  if (removal.failure() != 0) {
    return fail_errno(removal.failure(), "remove what is below " + path);
  }
  return removal.removed();
}

}  // namespace evictd::disk
