// SPDX-License-Identifier: Apache-2.0
#include "enforce/target_opener.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "enforce/own_cgroups.h"
#include "evictd/try.h"
#include "sys/directory.h"

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

}  // namespace

TargetOpener::TargetOpener(KillTarget& target, const KillTarget::Options& options)
    : target_(target),
      own_(options.own),
      children_(options.children),
      keep_(options.preparation == Preparation::kAtOnce),
      lister_(uncounted_),
      seen_(0) {}

Result<TargetOpener::Directory> TargetOpener::look_at(base::Fd fd, std::string path,
                                                      std::uint32_t hierarchy) {
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) {
    return fail_errno(errno, "read a cgroup directory");
  }
  return Directory{.fd = std::move(fd),
                   .path = std::move(path),
                   .id = {.hierarchy = hierarchy, .id = status.st_ino},
                   .device = status.st_dev,
                   .links = status.st_nlink};
}

Result<> TargetOpener::add(const KillTarget::Place& place) {
  const std::optional<std::vector<std::string>> parts = parts_of(place.path);
  if (!parts) {
    return fail(Errc::kInvalid, "\"" + place.path + "\" is not a path below " +
                                    place.root->directory() + ": allowed are names joined by '/'");
  }
  std::vector<CgroupId> chain{place.root->id()};
  Directory directory;
  directory.path = place.root->directory();
  for (const std::string& part : *parts) {
    const int parent = directory.fd ? directory.fd.get() : place.root->fd();
    base::Fd next = open_directory(parent, part.c_str());
    if (!next && errno == ENOENT) {
      return {};
    }
    if (!next) {
      return fail_errno(errno, "open " + place.root->directory() + "/" + place.path);
    }
    EVICTD_ASSIGN_OR_RETURN(
        directory, EVICTD_IN(place.path, look_at(std::move(next), directory.path + "/" + part,
                                                 place.root->id().hierarchy)));
    chain.push_back(directory.id);
  }
  EVICTD_TRY(EVICTD_IN(place.path, add_tree(directory, place.root->kind())));
  target_.chains_.push_back(std::move(chain));
  return {};
}

Result<> TargetOpener::add_tree(const Directory& pod, HierarchyKind kind) {
  const std::size_t own = target_.cgroups_.size();
  add_one(pod, kind, own);
  // Usually there is nothing below it, which saves reading the directory.
  Result<> added = pod.links == kLinksOfItself ? Result<>() : add_children(pod.fd.get(), own);
  // Only one directory is open at a time, at any number and depth.
  for (std::size_t index = own + 1; added && index < target_.cgroups_.size(); ++index) {
    if (links_[index] == kLinksOfItself) {
      continue;
    }
    const base::Fd fd = target_.cgroups_[index].open_directory();
    if (fd) {
      added = add_children(fd.get(), index);
    } else if (errno != ENOENT) {
      added = fail_errno(errno, "open " + target_.cgroups_[index].path);
    }
  }
  return added;
}

void TargetOpener::add_one(const Directory& directory, HierarchyKind kind, std::size_t parent) {
  TargetCgroup& cgroup = target_.cgroups_.emplace_back();
  cgroup.id = directory.id;
  cgroup.kind = kind;
  cgroup.path = directory.path;
  cgroup.device = directory.device;
  cgroup.parent = parent;
  links_.push_back(directory.links);
  if (keep_ && !target_.keep(cgroup, directory.fd.get())) {
    // At once, so that the rest is read with the remaining descriptors.
    keep_ = false;
    target_.keep_nothing();
  }
  if (!keep_ && target_.is_pod(cgroup)) {
    target_.look_at_pids_max(directory.fd.get());
  }
  look_for_own(directory);
}

void TargetOpener::look_for_own(const Directory& directory) {
  if (own_ == nullptr) {
    static_cast<void>(lister_.read_directory(directory.fd.get(), seen_));
  } else if (own_->has(directory.id)) {
    seen_.holds_protected = true;
  }
}

Result<> TargetOpener::add_children(int directory, std::size_t index) {
  if (target_.is_pod(target_.cgroups_[index]) &&
      links_[index] == kLinksOfItself + children_.size()) {
    Result<> added = add_named(directory, index, children_);
    if (!added || target_.cgroups_[index].known_children == children_.size()) {
      return added;
    }
    // A known directory is gone, and another one may have replaced it.
  }
  const Result<std::vector<std::string>> names = sys::directories_in(directory);
  return names ? add_named(directory, index, *names) : Result<>(Failure(names.error()));
}

Result<> TargetOpener::add_named(int directory, std::size_t index,
                                 const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    base::Fd fd = open_directory(directory, name.c_str());
    if (!fd && errno == EMFILE) {
      return fail_errno(EMFILE, "open " + name);
    }
    if (!fd) {
      continue;  // It was removed meanwhile.
    }
    const TargetCgroup& parent = target_.cgroups_[index];
    const HierarchyKind kind = parent.kind;
    const Result<Directory> child =
        look_at(std::move(fd), parent.path + "/" + name, parent.id.hierarchy);
    if (!child || target_.holds(child->id)) {
      continue;
    }
    add_one(*child, kind, index);
    ++target_.cgroups_[index].known_children;
  }
  return {};
}

void TargetOpener::finish() {
  target_.prepared_ = keep_;
  if (seen_.holds_protected) {
    target_.set_protection(Protection::kOwnProcess);
  }
}

Result<std::unique_ptr<KillTarget>> KillTarget::open(const Options& options) {
  std::unique_ptr<KillTarget> target(new KillTarget());
  target->uid_ = options.uid;
  target->usage_fd_ = options.usage_fd;
  target->keeps_memory_high_ = options.keep_memory_high;
  target->set_protection(options.protection);
  TargetOpener opener(*target, options);
  for (const Place& place : options.places) {
    EVICTD_TRY(EVICTD_IN("open cgroups of pod " + options.uid, opener.add(place)));
  }
  // Without its first cgroup, one of another hierarchy would give the target its id.
  if (target->cgroups_.empty() || (options.id && target->id() != *options.id)) {
    return fail(Errc::kNotFound, "pod " + options.uid + " has no cgroup");
  }
  opener.finish();
  return target;
}

}  // namespace evictd::enforce
