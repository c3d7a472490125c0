// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/pod_opener.h"

#include <optional>
#include <utility>

#include "daemon/beside.h"
#include "daemon/pods/pod_rules.h"

namespace evictd::daemon {

namespace {

/// Finding the cgroups of evictd and pid 1 costs as much as listing the processes of five pods.
constexpr std::size_t kManyPods = 32;

/// No live process was found in it: its files now show what the dead have left.
void set_remains(const sys::CgroupFiles& files, engine::Remains& remains) {
  sys::ReadBuffer buffer{};
  CgroupUsage left;
  if (files.read_live(MonoTime{}, buffer, left) == sys::ReadState::kRead) {
    remains.note(left);
  }
}

}  // namespace

PodOpener::Opened PodOpener::open(const Wanted& wanted, const enforce::OwnCgroups* own) const {
  const cluster::PodEntry& entry = *wanted.entry;
  auto pod = std::make_unique<HotPod>();
  pod->slot = wanted.slot;
  pod->uid = entry.uid;
  pod->ns = entry.pod.ns;
  pod->name = entry.pod.name;
  pod->labels = entry.pod.labels;
  pod->created_at_s = seconds_of(entry.pod.created_at);
  pod->memory_id = entry.cgroup->memory_id;
  pod->below_pod_root = !entry.cgroup->external_rule;
  pod->state = entry.state;
  pod->facts = wanted.standing.facts;
  pod->protection = wanted.standing.protection;
  Opened opened{.pod = std::move(pod), .complete = true, .failed = false};
  open_files(*entry.cgroup, opened);
  if (entry.state == cluster::PodState::kEmpty) {
    set_remains(opened.pod->files.opened(HotFiles::Key()), opened.pod->remains);
  }
  open_target(wanted, own, opened);
  return opened;
}

std::vector<PodOpener::Opened> PodOpener::open_all(std::span<const Wanted> wanted) const {
  std::vector<Opened> opened(wanted.size());
  const std::optional<enforce::OwnCgroups> own =
      wanted.size() < kManyPods ? std::nullopt : options_.places->find_own(*options_.root);
  for_each_below(wanted.size(),
                 [&](std::size_t i) { opened[i] = open(wanted[i], own ? &*own : nullptr); });
  return opened;
}

void PodOpener::open_files(const cluster::PodCgroup& cgroup, Opened& opened) const {
  if (!options_.shares.may_keep_files()) {
    opened.complete = false;
    return;
  }
  Result<sys::CgroupFiles> files = options_.places->open_files(*options_.root, cgroup);
  if (files) {
    opened.pod->files = HotFiles(std::move(*files));
  } else if (files.error().code != Errc::kNotFound) {
    opened.failed = true;
  }
}

void PodOpener::open_target(const Wanted& wanted, const enforce::OwnCgroups* own,
                            Opened& opened) const {
  const enforce::Preparation preparation =
      options_.shares.may_prepare() ? enforce::Preparation::kAtOnce : enforce::Preparation::kLater;
  Result<std::unique_ptr<enforce::KillTarget>> target = options_.places->open_target(
      *wanted.entry->cgroup, {.protection = opened.pod->protection,
                              .preparation = preparation,
                              .usage_fd = opened.pod->files.usage_fd(),
                              .keep_memory_high = wanted.standing.keeps_memory_high,
                              .own = own});
  if (target) {
    opened.pod->target = std::move(*target);
    opened.complete = opened.complete && opened.pod->target->prepared();
  } else if (target.error().code != Errc::kNotFound) {
    opened.complete = opened.complete && target.error().code != Errc::kExhausted;
    opened.failed = true;
  }
}

}  // namespace evictd::daemon
