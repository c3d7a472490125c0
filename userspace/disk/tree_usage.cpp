// SPDX-License-Identifier: Apache-2.0
#include "disk/tree_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "disk/beneath.h"

namespace evictd::disk {

namespace {

constexpr std::uint64_t kBlockBytes = 512;

/// Inodes with several links that are remembered; those beyond count once a link. About 16 MiB.
constexpr std::size_t kMostLinked = 400'000;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

struct Entry {
  std::uint64_t inode = 0;
  std::uint64_t device = 0;
  std::uint64_t blocks = 0;
  std::uint32_t links = 0;
  bool directory = false;
  bool mount_root = false;
};

std::optional<Entry> look(int directory, const char* name) {
  struct statx answer {};
  if (::statx(directory, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH,
              STATX_BASIC_STATS, &answer) != 0) {
    return std::nullopt;
  }
  return Entry{.inode = answer.stx_ino,
               .device = (std::uint64_t{answer.stx_dev_major} << 32U) | answer.stx_dev_minor,
               .blocks = answer.stx_blocks,
               .links = answer.stx_nlink,
               .directory = S_ISDIR(answer.stx_mode),
               .mount_root = (answer.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0};
}

/// Levels whose directories are kept open; from deeper ones the way back is "..", so that depth
/// costs no descriptors. What is removed meanwhile has no ".." any more, so that few levels would
/// not do.
constexpr std::size_t kKeptLevels = 32;

/// One walk.
class Walk {
 public:
  explicit Walk(Pace& pace) : pace_(pace) {}

  Result<TreeUsage> run(int directory) {
    const std::optional<Entry> top = look(directory, "");
    base::Fd current(top ? ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
    if (!current) {
      return fail_errno(errno, "look at a directory");
    }
    device_ = top->device;
    add(*top);
    enter(std::move(current), *top);
    while (!levels_.empty() && !pace_.given_up()) {
      if (levels_.back().below.empty()) {
        go_up();
      } else {
        go_down();
      }
    }
    usage_.complete = usage_.complete && levels_.empty();
    usage_.cut_short = usage_.cut_short || (!levels_.empty() && pace_.out_of_steps());
    return usage_;
  }

 private:
  struct Level {
    std::uint64_t inode = 0;
    /// Directories in it that are still to be visited.
    std::vector<std::string> below;
    /// Empty beyond kKeptLevels.
    base::Fd directory;
  };

  /// Where the walk is.
  [[nodiscard]] int current() const {
    return levels_.back().directory ? levels_.back().directory.get() : deep_.get();
  }

  void enter(base::Fd directory, const Entry& entry) {
    Level level{.inode = entry.inode, .below = list(directory.get()), .directory = {}};
    if (levels_.size() < kKeptLevels) {
      level.directory = std::move(directory);
    } else {
      deep_ = std::move(directory);
    }
    levels_.push_back(std::move(level));
  }

  void go_down() {
    const std::string name = std::move(levels_.back().below.back());
    levels_.back().below.pop_back();
    base::Fd next = open_beneath(current(), name, Mounts::kLeftOut);
    const std::optional<Entry> entry = next ? look(next.get(), "") : std::nullopt;
    if (!entry || entry->device != device_) {
      ++usage_.vanished;
      return;
    }
    enter(std::move(next), *entry);
  }

  void go_up() {
    levels_.pop_back();
    if (levels_.empty() || levels_.back().directory) {
      deep_.reset();
      return;
    }
    base::Fd parent = open_parent(deep_.get());
    const std::optional<Entry> entry = parent ? look(parent.get(), "") : std::nullopt;
    if (entry && entry->inode == levels_.back().inode && entry->device == device_) {
      deep_ = std::move(parent);
      return;
    }
    // It was removed or moved away: what is left of these levels is not found again.
    usage_.complete = false;
    while (!levels_.back().directory) {
      levels_.pop_back();
    }
  }

  /// Adds up what is directly in `directory`; answers the directories in it.
  std::vector<std::string> list(int directory) {
    std::vector<std::string> below;
    const int own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const std::unique_ptr<DIR, CloseDirectory> stream(own < 0 ? nullptr : ::fdopendir(own));
    if (!stream) {
      // One that was removed while we look at it holds nothing any more.
      usage_.complete = usage_.complete && errno == ENOENT;
      return below;
    }
    while (const dirent* entry = ::readdir(stream.get())) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") {
        continue;
      }
      if (!pace_.spend()) {
        usage_.complete = false;
        usage_.cut_short = pace_.out_of_steps();
        return {};
      }
      const std::optional<Entry> seen = look(directory, entry->d_name);
      if (!seen) {
        ++usage_.vanished;
      } else if (seen->mount_root || seen->device != device_) {
        ++usage_.mounts;
      } else if (add(*seen) && seen->directory) {
        below.emplace_back(name);
      }
    }
    return below;
  }

  /// False for an inode that was counted before.
  bool add(const Entry& entry) {
    if (!entry.directory && entry.links > 1) {
      if (linked_.contains(entry.inode)) {
        return false;
      }
      if (linked_.size() < kMostLinked) {
        linked_.insert(entry.inode);
      }
    }
    usage_.bytes += entry.blocks * kBlockBytes;
    ++usage_.inodes;
    return true;
  }

  Pace& pace_;
  TreeUsage usage_;
  std::uint64_t device_ = 0;
  std::vector<Level> levels_;
  /// The deepest level where it is not kept.
  base::Fd deep_;
  std::unordered_set<std::uint64_t> linked_;
};

}  // namespace

Result<TreeUsage> measure_tree(int directory, Pace& pace) {
  return Walk(pace).run(directory);
}

}  // namespace evictd::disk
