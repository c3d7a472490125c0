// SPDX-License-Identifier: Apache-2.0
#include "enforce/kill_target.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "enforce/process_lister.h"

namespace evictd::enforce {

namespace {

/// The parts of `path`; nothing unless it is relative, not empty and without ".", ".." or "//".
std::optional<std::vector<std::string>> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == "..") {
      return std::nullopt;
    }
    parts.emplace_back(part);
    if (slash == std::string_view::npos) {
      return parts;
    }
    path.remove_prefix(slash + 1);
  }
}

/// A directory within `parent`, never through a symbolic link.
base::Fd open_directory(int parent, const char* name) {
  return base::Fd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

base::Fd open_file(int parent, const char* name, int flags) {
  return base::Fd(::openat(parent, name, flags | O_CLOEXEC));
}

Result<CgroupId> id_of(int dir, std::uint32_t hierarchy) {
  struct stat status = {};
  if (::fstat(dir, &status) != 0) {
    return fail_errno(errno, "look at a cgroup directory");
  }
  return CgroupId{.hierarchy = hierarchy, .id = status.st_ino};
}

Result<std::vector<std::string>> directories_in(int dir) {
  const int copy = ::openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) {
    return fail_errno(errno, "open a cgroup directory");
  }
  DIR* stream = ::fdopendir(copy);
  if (stream == nullptr) {
    ::close(copy);
    return fail_errno(errno, "read a cgroup directory");
  }
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (entry->d_type == DT_DIR && name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
  ::closedir(stream);
  return names;
}

}  // namespace

Result<std::unique_ptr<KillTarget>> KillTarget::open(const Options& options) {
  std::unique_ptr<KillTarget> target(new KillTarget());
  target->uid_ = options.uid;
  target->set_protection(options.protection);
  for (const Place& place : options.places) {
    const Result<bool> added = target->add_place(place);
    if (!added) {
      return fail_in("open cgroups of pod " + options.uid, added.error());
    }
  }
  if (target->cgroups_.empty()) {
    return fail(Errc::kNotFound, "pod " + options.uid + " has no cgroup");
  }
  ProcessList list(0);
  list_anew(*target, list);
  if (list.holds_protected) {
    target->set_protection(Protection::kOwnProcess);
  }
  return target;
}

Result<bool> KillTarget::add_place(const Place& place) {
  const std::optional<std::vector<std::string>> parts = parts_of(place.path);
  if (!parts) {
    return fail(Errc::kInvalid, "\"" + place.path + "\" is no path below " +
                                    place.root->directory() + ": allowed are names joined by '/'");
  }
  std::vector<CgroupId> chain{place.root->id()};
  base::Fd dir;
  int parent = place.root->fd();
  for (const std::string& part : *parts) {
    base::Fd next = open_directory(parent, part.c_str());
    if (!next && errno == ENOENT) {
      return false;
    }
    if (!next) {
      return fail_errno(errno, "open " + place.root->directory() + "/" + place.path);
    }
    const Result<CgroupId> id = id_of(next.get(), place.root->id().hierarchy);
    if (!id) {
      return fail_in(place.path, id.error());
    }
    chain.push_back(*id);
    dir = std::move(next);
    parent = dir.get();
  }
  const std::size_t first = cgroups_.size();
  const Result<> added = add_tree(std::move(dir), chain.back(), place.root->kind(), first);
  if (!added) {
    return fail_in(place.path, added.error());
  }
  keep_files(cgroups_[first]);
  chains_.push_back(std::move(chain));
  return true;
}

Result<> KillTarget::add_tree(base::Fd dir, CgroupId id, HierarchyKind kind, std::size_t parent) {
  const int dir_fd = dir.get();
  const std::size_t index = cgroups_.size();
  TargetCgroup& cgroup = cgroups_.emplace_back();
  cgroup.id = id;
  cgroup.kind = kind;
  cgroup.parent = parent;
  cgroup.dir = std::move(dir);
  const std::size_t kept = kind == HierarchyKind::kV2 ? 1 : kFreshProcs;
  for (std::size_t i = 0; i < kept; ++i) {
    cgroup.procs[i] = open_file(dir_fd, "cgroup.procs", O_RDONLY);
    if (!cgroup.procs[i] && errno != ENOENT) {
      return fail_errno(errno, "open cgroup.procs");
    }
  }
  const Result<std::vector<std::string>> names = directories_in(dir_fd);
  if (!names) {
    return Failure(names.error());
  }
  for (const std::string& name : *names) {
    base::Fd child = open_directory(dir_fd, name.c_str());
    const Result<CgroupId> child_id = id_of(child.get(), id.hierarchy);
    if (!child && errno == EMFILE) {
      return fail_errno(EMFILE, "open " + name);
    }
    if (!child || !child_id) {
      continue;  // It was removed meanwhile.
    }
    const Result<> added = add_tree(std::move(child), *child_id, kind, index);
    if (!added) {
      return fail_in(name, added.error());
    }
    ++cgroups_[index].known_children;
  }
  return {};
}

void KillTarget::keep_files(const TargetCgroup& pod) {
  const int dir = pod.dir.get();
  switch (pod.kind) {
    case HierarchyKind::kV2:
      kill_ = open_file(dir, "cgroup.kill", O_WRONLY);
      freeze_ = open_file(dir, "cgroup.freeze", O_WRONLY);
      events_ = open_file(dir, "cgroup.events", O_RDONLY);
      if (!usage_) {
        usage_ = open_file(dir, "memory.current", O_RDONLY);
      }
      return;
    case HierarchyKind::kV1Memory:
      usage_ = open_file(dir, "memory.usage_in_bytes", O_RDONLY);
      return;
    case HierarchyKind::kV1Pids:
      pids_max_ = open_file(dir, "pids.max", O_RDWR);
      return;
  }
}

void KillTarget::set_protection(Protection protection) {
  if (this->protection() != Protection::kOwnProcess) {
    protection_.store(protection, std::memory_order_release);
  }
}

bool KillTarget::holds(CgroupId cgroup) const {
  return std::any_of(cgroups_.begin(), cgroups_.end(),
                     [cgroup](const TargetCgroup& own) { return own.id == cgroup; });
}

bool KillTarget::on_v1() const {
  return std::any_of(cgroups_.begin(), cgroups_.end(),
                     [](const TargetCgroup& cgroup) { return cgroup.kind != HierarchyKind::kV2; });
}

bool KillTarget::in_scope(const TargetCgroup& cgroup, ListScope scope) const {
  switch (scope) {
    case ListScope::kFirstHierarchy:
      return cgroup.id.hierarchy == cgroups_.front().id.hierarchy;
    case ListScope::kAll:
      return true;
  }
  return true;
}

std::optional<Bytes> KillTarget::usage() const {
  std::array<char, 32> text{};
  const ssize_t length = ::pread(usage_.get(), text.data(), text.size(), 0);
  Bytes bytes;
  if (length <= 0 ||
      std::from_chars(text.data(), text.data() + length, bytes.value).ec != std::errc{}) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace evictd::enforce
