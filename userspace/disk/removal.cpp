// SPDX-License-Identifier: Apache-2.0
// Takes away what an evicted pod left in its emptyDir volumes.
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "disk/beneath.h"
#include "disk/pod_storage.h"

namespace evictd::disk {

namespace {

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

  /// Empties `directory`. Goes back up by "..", so that depth costs no descriptors, but only to the
  /// directory that it came from.
  void empty(base::Fd directory, const std::string& name) {
    levels_.clear();
    if (!enter(name, directory.get())) {
      return;
    }
    while (directory && !levels_.empty()) {
      directory =
          levels_.back().below.empty() ? up(std::move(directory)) : down(std::move(directory));
    }
  }

  /// `what` could not be read or removed: 0 and ENOENT mean that there is nothing to remove.
  void note(int error, const std::string& what) {
    if (!failure_ && error != 0 && error != ENOENT) {
      failure_ = fail_errno(error, what).value();
    }
  }

  /// Number of entries removed below `path`, or the first failure.
  [[nodiscard]] Result<std::uint64_t> result(const std::string& path) const {
    if (failure_) {
      return fail_in("remove the contents of " + path, *failure_);
    }
    return removed_;
  }

 private:
  struct Level {
    std::string name;
    DirectoryIdentity identity;
    std::vector<std::string> below;
  };

  bool enter(std::string name, int directory) {
    const std::optional<DirectoryIdentity> identity = identity_of(directory);
    if (!identity) {
      note(errno, "look at " + name);
      return false;
    }
    std::vector<std::string> below = files_out_of(directory, name);
    levels_.push_back({.name = std::move(name), .identity = *identity, .below = std::move(below)});
    return true;
  }

  base::Fd down(base::Fd directory) {
    std::string name = std::move(levels_.back().below.back());
    levels_.back().below.pop_back();
    base::Fd next = open_beneath(directory.get(), name, Mounts::kLeftOut);
    if (next) {
      return enter(std::move(name), next.get()) ? std::move(next) : std::move(directory);
    }
    note(errno, (errno == EXDEV ? "enter another mount: " : "open ") + name);
    return directory;
  }

  /// Empty if the way back is lost: then it removes nothing more.
  base::Fd up(base::Fd directory) {
    const std::string done = std::move(levels_.back().name);
    levels_.pop_back();
    if (levels_.empty()) {
      return directory;
    }
    base::Fd parent = open_parent(directory.get());
    if (parent && identity_of(parent.get()) == levels_.back().identity) {
      take(::unlinkat(parent.get(), done.c_str(), AT_REMOVEDIR), done);
      return parent;
    }
    note(parent ? ESTALE : errno, done + " was moved while it was emptied; stopped");
    return {};
  }

  /// Removes the files in `directory`; returns the directories.
  std::vector<std::string> files_out_of(int directory, const std::string& path) {
    std::vector<std::string> directories;
    Names names = names_in(directory);
    note(names.failure, "list " + path);
    for (std::string& name : names.all) {
      if (!pace_.spend()) {
        note(ECANCELED, path);
        return {};
      }
      const int unlinked = ::unlinkat(directory, name.c_str(), 0);
      if (unlinked != 0 && errno == EISDIR) {
        directories.push_back(std::move(name));
      } else {
        take(unlinked, name);
      }
    }
    return directories;
  }

  void take(int unlinked, const std::string& name) {
    if (unlinked == 0) {
      ++removed_;
    } else {
      note(errno, name);
    }
  }

  Pace& pace_;
  std::vector<Level> levels_;
  std::uint64_t removed_ = 0;
  std::optional<Error> failure_;
};

}  // namespace

Result<std::uint64_t> remove_empty_dir_data(const std::string& kubelet_root, const std::string& uid,
                                            Pace& pace, VolumesOf which) {
  const std::string all_pods = kubelet_root + "/pods";
  const std::string path = all_pods + "/" + empty_dirs_below_pods(uid);
  const base::Fd pods(::open(all_pods.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const base::Fd volumes =
      pods ? open_beneath(pods.get(), empty_dirs_below_pods(uid), Mounts::kEntered) : base::Fd();
  if (!volumes) {
    return errno == ENOENT ? Result<std::uint64_t>(0) : fail_errno(errno, "open " + path);
  }
  Removal removal(pace);
  const Names names = names_in(volumes.get());
  removal.note(names.failure, "list it");
  for (const std::string& name : names.all) {
    // The volume itself may be a mount: a tmpfs for the medium Memory.
    base::Fd volume = open_beneath(volumes.get(), name, Mounts::kEntered);
    if (volume && which == VolumesOf::kMemory &&
        !(is_tmpfs(volume.get()) && is_mount_root(volume.get()))) {
      continue;
    }
    if (volume) {
      removal.empty(std::move(volume), name);
    } else if (errno != ENOTDIR && errno != ELOOP) {
      removal.note(errno, "open " + name);
    }
  }
  return removal.result(path);
}

}  // namespace evictd::disk
