// SPDX-License-Identifier: Apache-2.0
#include "daemon/pod_opener.h"

#include <utility>

#include "daemon/pod_rules.h"

namespace evictd::daemon {

PodOpener::Opened PodOpener::open(const cluster::PodEntry& entry, const PodStanding& standing,
                                  std::uint32_t slot) const {
  auto pod = std::make_unique<HotPod>();
  pod->slot = slot;
  pod->uid = entry.uid;
  pod->ns = entry.pod.ns;
  pod->name = entry.pod.name;
  pod->labels = entry.pod.labels;
  pod->created_at_s = seconds_of(entry.pod.created_at);
  pod->memory_id = entry.cgroup->memory_id;
  pod->below_pod_root = !entry.cgroup->external_rule;
  pod->state = entry.state;
  pod->facts = standing.facts;
  pod->protection = standing.protection;
  Opened opened{.pod = std::move(pod), .complete = true, .failed = false};
  open_files(*entry.cgroup, opened);
  open_target(*entry.cgroup, opened);
  return opened;
}

void PodOpener::open_files(const cluster::PodCgroup& cgroup, Opened& opened) const {
  if (!options_.shares.may_keep_files()) {
    opened.complete = false;
    return;
  }
  Result<sys::CgroupFiles> files =
      sys::CgroupFiles::open(*options_.root, *options_.layout, cgroup.path);
  if (files) {
    opened.pod->files = std::move(*files);
  } else if (files.error().code != Errc::kNotFound) {
    opened.failed = true;
  }
}

void PodOpener::open_target(const cluster::PodCgroup& cgroup, Opened& opened) const {
  const enforce::Preparation preparation =
      options_.shares.may_prepare() ? enforce::Preparation::kAtOnce : enforce::Preparation::kLater;
  Result<std::unique_ptr<enforce::KillTarget>> target =
      options_.places->open_target(cgroup, {.protection = opened.pod->protection,
                                            .preparation = preparation,
                                            .usage_fd = opened.pod->files.usage_fd()});
  if (target) {
    opened.pod->target = std::move(*target);
    opened.complete = opened.complete && opened.pod->target->prepared();
  } else if (target.error().code != Errc::kNotFound) {
    opened.complete = opened.complete && target.error().code != Errc::kExhausted;
    opened.failed = true;
  }
}

}  // namespace evictd::daemon
