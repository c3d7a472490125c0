// SPDX-License-Identifier: Apache-2.0
#include "disk/tree_usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "evictd/try.h"

namespace evictd::disk {

namespace {

constexpr std::uint64_t kBlockBytes = 512;

/// Levels whose directories are kept open; from deeper ones the way back is "..", so that depth
/// costs no descriptors. What is removed meanwhile has no ".." any more, so that few levels would
/// not do.
constexpr std::size_t kKeptLevels = 32;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Stream = std::unique_ptr<DIR, CloseDirectory>;

Stream open_stream(int directory) {
  base::Fd own = open_beneath(directory, ".", Mounts::kLeftOut);
  Stream stream(own ? ::fdopendir(own.get()) : nullptr);
  if (stream) {
    static_cast<void>(own.release());
  }
  return stream;
}

}  // namespace

TreeWalk::~TreeWalk() {
  *linked_left_ += linked_.size();
}

std::optional<TreeWalk::Entry> TreeWalk::look(int directory, const char* name) {
  struct statx answer {};
  if (::statx(directory, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH,
              STATX_BASIC_STATS, &answer) != 0) {
    return std::nullopt;
  }
  return Entry{
      .identity = {.device = (std::uint64_t{answer.stx_dev_major} << 32U) | answer.stx_dev_minor,
                   .inode = answer.stx_ino},
      .blocks = answer.stx_blocks,
      .links = answer.stx_nlink,
      .directory = S_ISDIR(answer.stx_mode),
      .mount_root = (answer.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0};
}

Result<TreeUsage> TreeWalk::advance(int directory, Pace& pace) {
  if (!top_) {
    EVICTD_TRY(begin(directory));
  } else if (!levels_.empty()) {
    reopen(directory);
  }
  while (!levels_.empty() && !pace.given_up()) {
    if (levels_.back().listed_to) {
      list(pace);
    } else if (levels_.back().below.empty()) {
      go_up();
    } else {
      go_down();
    }
  }
  TreeUsage found = usage_;
  found.complete = found.complete && levels_.empty();
  found.cut_short = !levels_.empty() && pace.out_of_steps();
  release();
  return found;
}

Result<> TreeWalk::begin(int directory) {
  const std::optional<Entry> top = look(directory, "");
  base::Fd own = top ? open_beneath(directory, ".", Mounts::kLeftOut) : base::Fd();
  if (!own) {
    return fail_errno(errno, "read a directory");
  }
  top_ = top->identity;
  add(*top);
  levels_.push_back(
      {.name = {}, .inode = top_->inode, .below = {}, .listed_to = 0, .directory = {}});
  hold(std::move(own));
  return {};
}

/// The way down again, as far as it is still there.
void TreeWalk::reopen(int directory) {
  std::size_t found = 0;
  std::vector<Level> before = std::exchange(levels_, {});
  for (Level& level : before) {
    base::Fd next = found > 0 ? open_beneath(current(), level.name, Mounts::kLeftOut)
                              : open_beneath(directory, ".", Mounts::kLeftOut);
    const DirectoryIdentity wanted{.device = top_->device, .inode = level.inode};
    if (!next || identity_of(next.get()) != wanted) {
      break;
    }
    levels_.push_back(std::move(level));
    hold(std::move(next));
    ++found;
  }
  usage_.complete = usage_.complete && found == before.size();
}

void TreeWalk::release() {
  deep_.reset();
  for (Level& level : levels_) {
    level.directory.reset();
  }
}

/// Keeps the directory of the deepest level.
void TreeWalk::hold(base::Fd directory) {
  if (levels_.size() <= kKeptLevels) {
    levels_.back().directory = std::move(directory);
  } else {
    deep_ = std::move(directory);
  }
}

int TreeWalk::current() const {
  return levels_.back().directory ? levels_.back().directory.get() : deep_.get();
}

void TreeWalk::go_down() {
  std::string name = std::move(levels_.back().below.back());
  levels_.back().below.pop_back();
  base::Fd next = open_beneath(current(), name, Mounts::kLeftOut);
  const std::optional<DirectoryIdentity> identity =
      next ? identity_of(next.get()) : std::optional<DirectoryIdentity>();
  if (!identity || identity->device != top_->device) {
    ++usage_.vanished;
    return;
  }
  levels_.push_back({.name = std::move(name),
                     .inode = identity->inode,
                     .below = {},
                     .listed_to = 0,
                     .directory = {}});
  hold(std::move(next));
}

void TreeWalk::go_up() {
  levels_.pop_back();
  if (levels_.empty() || levels_.back().directory) {
    deep_.reset();
    return;
  }
  base::Fd parent = open_parent(deep_.get());
  const DirectoryIdentity wanted{.device = top_->device, .inode = levels_.back().inode};
  if (parent && identity_of(parent.get()) == wanted) {
    deep_ = std::move(parent);
    return;
  }
  // It was removed or moved: the rest of these levels cannot be found again.
  usage_.complete = false;
  while (!levels_.back().directory) {
    levels_.pop_back();
  }
}

/// Adds up what is directly in the deepest level, and notes the directories in it.
void TreeWalk::list(Pace& pace) {
  const Stream stream = open_stream(current());
  if (!stream) {
    // A directory removed during the walk holds nothing any more.
    usage_.complete = usage_.complete && errno == ENOENT;
    levels_.back().listed_to.reset();
    return;
  }
  if (*levels_.back().listed_to != 0) {
    ::seekdir(stream.get(), *levels_.back().listed_to);
  }
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      if (!pace.spend()) {
        return;
      }
      count(::dirfd(stream.get()), entry->d_name);
    }
    levels_.back().listed_to = ::telldir(stream.get());
  }
  levels_.back().listed_to.reset();
}

void TreeWalk::count(int directory, const char* name) {
  const std::optional<Entry> seen = look(directory, name);
  if (!seen) {
    ++usage_.vanished;
  } else if (seen->mount_root || seen->identity.device != top_->device) {
    ++usage_.mounts;
  } else if (add(*seen) && seen->directory) {
    levels_.back().below.emplace_back(name);
  }
}

/// False for an inode that was counted before.
bool TreeWalk::add(const Entry& entry) {
  if (!entry.directory && entry.links > 1) {
    if (linked_.contains(entry.identity.inode)) {
      return false;
    }
    if (*linked_left_ > 0) {
      linked_.insert(entry.identity.inode);
      --*linked_left_;
    }
  }
  usage_.bytes += entry.blocks * kBlockBytes;
  ++usage_.inodes;
  return true;
}

}  // namespace evictd::disk
