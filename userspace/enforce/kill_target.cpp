// SPDX-License-Identifier: Apache-2.0
#include "enforce/kill_target.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "enforce/process_lister.h"

namespace evictd::enforce {

namespace {

/// Opens a kept file that need not be there. False when it is there and cannot be had. ENODEV: it
/// was found just when its cgroup was removed.
bool open_kept(int dir, const char* name, int flags, base::Fd& file) {
  file.reset(::openat(dir, name, flags | O_CLOEXEC));
  return file || errno == ENOENT || errno == ENODEV;
}

}  // namespace

bool KillTarget::prepare() {
  bool all = true;
  for (TargetCgroup& cgroup : cgroups_) {
    const base::Fd dir = cgroup.open_directory();
    if (dir) {
      all = keep(cgroup, dir.get()) && all;
    } else {
      all = errno == ENOENT && all;
    }
  }
  prepared_ = true;
  return all;
}

bool KillTarget::keep(TargetCgroup& cgroup, int dir) {
  bool all = true;
  if (in_scope(cgroup, ListScope::kFirstHierarchy)) {
    const std::size_t kept = cgroup.kind == HierarchyKind::kV2 ? 1 : kFreshProcs;
    cgroup.procs_read = 0;
    for (std::size_t i = 0; i < kept; ++i) {
      all = open_kept(dir, "cgroup.procs", O_RDONLY, cgroup.procs[i]) && all;
    }
  }
  const bool is_pod = &cgroup == &cgroups_[cgroup.parent];
  return is_pod ? keep_files(cgroup.kind, dir) && all : all;
}

bool KillTarget::keep_files(HierarchyKind kind, int dir) {
  switch (kind) {
    case HierarchyKind::kV2: {
      const bool kill = open_kept(dir, "cgroup.kill", O_WRONLY, kill_);
      const bool freeze = kill_ || open_kept(dir, "cgroup.freeze", O_WRONLY, freeze_);
      return open_kept(dir, "cgroup.events", O_RDONLY, events_) && kill && freeze;
    }
    case HierarchyKind::kV1Memory:
      return true;
    case HierarchyKind::kV1Pids: {
      const bool kept = open_kept(dir, "pids.max", O_RDWR, pids_max_);
      pids_max_before_ = PidsMax(pids_max_.get());
      return kept;
    }
  }
  return true;
}

void KillTarget::keep_nothing() {
  for (TargetCgroup& cgroup : cgroups_) {
    cgroup.procs = {};
  }
  for (base::Fd* file : {&kill_, &freeze_, &events_, &pids_max_}) {
    file->reset();
  }
}

bool KillTarget::unused() const {
  return prepared_ && std::all_of(cgroups_.begin(), cgroups_.end(), [](const TargetCgroup& cgroup) {
           return cgroup.procs_read == 0;
         });
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
  const ssize_t length = ::pread(usage_fd_, text.data(), text.size(), 0);
  Bytes bytes;
  if (length <= 0 ||
      std::from_chars(text.data(), text.data() + length, bytes.value).ec != std::errc{}) {
    return std::nullopt;
  }
  return bytes;
}

PidsMax KillTarget::pids_max_now() const {
  if (!pids_max_) {
    return pids_max_before_;
  }
  const PidsMax now(pids_max_.get());
  return now.text().empty() || now.text().starts_with('0') ? pids_max_before_ : now;
}

}  // namespace evictd::enforce
