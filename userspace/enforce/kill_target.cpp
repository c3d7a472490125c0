// SPDX-License-Identifier: Apache-2.0
#include "enforce/kill_target.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <limits>
#include <utility>

#include "enforce/process_lister.h"

namespace evictd::enforce {

namespace {

/// Opens a kept file that need not be there. False when it is there and cannot be had. ENODEV: it
/// was found just when its cgroup was removed.
bool open_kept(int dir, const char* name, int flags, base::Fd& file) {
  file.reset(::openat(dir, name, flags | O_CLOEXEC));
  return file || errno == ENOENT || errno == ENODEV;
}

/// The most cgroups whose cgroup.procs are kept; a pod with one container has two.
constexpr std::size_t kMostKeptProcs = 64;

/// How often the tasks of a pod are looked at while they are being bounded. Two are the rule: once
/// they are bounded there are no more of them.
constexpr int kMostLooks = 3;

/// A write below the usage reclaims in its caller. From kernel 6.16 on it does not with O_NONBLOCK.
constexpr int kHighFlags = O_RDWR | O_NONBLOCK | O_CLOEXEC;

/// What "max" is: no pids.max nor pids.current is as large.
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

std::int64_t number_in(const PidsMax& text) {
  std::int64_t number = kNoLimit;
  std::from_chars(text.word().data(), text.word().data() + text.word().size(), number);
  return number;
}

}  // namespace

bool KillTarget::prepare() {
  bool all = true;
  keeps_procs_ = true;
  for (TargetCgroup& cgroup : cgroups_) {
    if (!keeps_procs_ && !is_pod(cgroup)) {
      continue;
    }
    const base::Fd dir = cgroup.open_directory();
    const bool kept = dir ? keep(cgroup, dir.get()) : errno == ENOENT;
    if (!kept) {
      // The remaining descriptors are for listing and signalling.
      close_kept_procs();
    }
    all = kept && all;
  }
  prepared_ = true;
  return all;
}

bool KillTarget::keep(TargetCgroup& cgroup, int dir) {
  bool all = true;
  if (keeps_procs_ && in_scope(cgroup, ListScope::kFirstHierarchy)) {
    if (static_cast<std::size_t>(&cgroup - cgroups_.data()) >= kMostKeptProcs) {
      close_kept_procs();
    } else {
      all = keep_procs(cgroup, dir);
    }
  }
  return is_pod(cgroup) ? keep_files(cgroup.kind, dir) && all : all;
}

bool KillTarget::keep_procs(TargetCgroup& cgroup, int dir) {
  bool all = true;
  const std::size_t kept = cgroup.kind == HierarchyKind::kV2 ? 1 : kFreshProcs;
  cgroup.procs_read = 0;
  for (std::size_t i = 0; i < kept; ++i) {
    all = open_kept(dir, "cgroup.procs", O_RDONLY, cgroup.procs[i]) && all;
  }
  return all;
}

bool KillTarget::keep_files(HierarchyKind kind, int dir) {
  switch (kind) {
    case HierarchyKind::kV2: {
      const bool kill = open_kept(dir, "cgroup.kill", O_WRONLY, kill_);
      const bool freeze = kill_ || open_kept(dir, "cgroup.freeze", O_WRONLY, freeze_);
      const bool events = open_kept(dir, "cgroup.events", O_RDONLY, events_);
      keep_memory_high(dir);
      return keep_pids_max(dir) && events && kill && freeze;
    }
    case HierarchyKind::kV1Memory:
      return true;
    case HierarchyKind::kV1Pids:
      return keep_pids_max(dir);
  }
  return true;
}

void KillTarget::look_at_pids_max(int dir) {
  const base::Fd file(::openat(dir, "pids.max", O_RDONLY | O_CLOEXEC));
  if (file) {
    pids_max_before_ = PidsMax(file.get());
  }
}

bool KillTarget::keep_pids_max(int dir) {
  base::Fd file;
  const bool kept = open_kept(dir, "pids.max", O_RDWR, file);
  if (file) {
    // A v2 tree beside the v1 hierarchies has none.
    pids_max_ = std::move(file);
    pids_max_before_ = PidsMax(pids_max_.get());
  }
  return kept;
}

void KillTarget::keep_memory_high(int dir) {
  if (keeps_memory_high_) {
    bridge_.use(base::Fd(::openat(dir, "memory.high", kHighFlags)));
  }
}

void KillTarget::close_kept_procs() {
  keeps_procs_ = false;
  for (TargetCgroup& cgroup : cgroups_) {
    cgroup.procs = {};
  }
}

void KillTarget::keep_nothing() {
  close_kept_procs();
  for (base::Fd* file : {&kill_, &freeze_, &events_, &pids_max_}) {
    file->reset();
  }
  bridge_.close();
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

bool KillTarget::is_pod(const TargetCgroup& cgroup) const {
  return &cgroup == &cgroups_[cgroup.parent];
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
  if (forks_.in_force() && now.word() == forks_.set.word()) {
    return forks_.before;
  }
  return now.text().empty() || now.text().starts_with('0') ? pids_max_before_ : now;
}

void KillTarget::remember_hold(const PidsMax& before) {
  forks_ = ForkHold{.before = before, .set = PidsMax(pids_max_.get())};
}

base::Fd KillTarget::open_tasks() const {
  base::Fd tasks;
  for (const TargetCgroup& cgroup : cgroups_) {
    if (!tasks && is_pod(cgroup)) {
      const base::Fd dir = cgroup.open_directory();
      tasks.reset(dir ? ::openat(dir.get(), "pids.current", O_RDONLY | O_CLOEXEC) : -1);
    }
  }
  return tasks;
}

base::Fd KillTarget::open_memory_high() const {
  for (const TargetCgroup& cgroup : cgroups_) {
    if (cgroup.kind == HierarchyKind::kV2 && is_pod(cgroup)) {
      const base::Fd dir = cgroup.open_directory();
      return base::Fd(dir ? ::openat(dir.get(), "memory.high", kHighFlags) : -1);
    }
  }
  return {};
}

bool KillTarget::hold_tasks() {
  const base::Fd tasks = open_tasks();
  const PidsMax before = pids_max_now();
  if (!tasks || !pids_max_ || before.text().empty()) {
    return false;
  }
  PidsMax now(tasks.get());
  if (now.text().empty()) {
    return false;
  }
  for (int i = 0; i < kMostLooks; ++i) {
    if (number_in(now) >= number_in(before)) {
      return true;  // The current limit is lower already.
    }
    if (!write_control(pids_max_.get(), now.word())) {
      return false;
    }
    forks_ = ForkHold{.before = before, .set = now};
    // Must include a fork in between: from here on there is none.
    const PidsMax then(tasks.get());
    if (number_in(then) <= number_in(now)) {
      return true;
    }
    now = then;
  }
  return true;
}

bool KillTarget::give_forks_back() {
  const ForkHold held = std::exchange(forks_, ForkHold{});
  if (!held.in_force() || !pids_max_) {
    return !held.in_force();
  }
  const PidsMax now(pids_max_.get());
  return now.word() != held.set.word() || write_control(pids_max_.get(), held.before.text());
}

}  // namespace evictd::enforce
