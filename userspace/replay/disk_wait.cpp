// SPDX-License-Identifier: Apache-2.0
#include "replay/disk_wait.h"

#include <algorithm>

#include "eviction/hold.h"

namespace evictd::replay {

namespace {

/// What is still awaited of a disk and was killed at `killed_at`, or where that is not known yet
/// between the two moments of `end`.
const eviction::ReleasingPod* find_release(const RecordedPass& pass, const RecordedEnd& end,
                                           const std::optional<MonoTime>& killed_at) {
  const auto found =
      std::find_if(pass.releasing.begin(), pass.releasing.end(), [&](const auto& one) {
        const bool is_it =
            killed_at ? one.killed_at == *killed_at
                      : one.killed_at >= end.asked_at && one.killed_at <= end.kill_at + kLateKill;
        return is_it && (one.disk.value > 0 || one.inodes > 0);
      });
  return found == pass.releasing.end() ? nullptr : &*found;
}

}  // namespace

DiskWait::DiskWait(const Parts& parts, const std::vector<RecordedEnd>& ends,
                   const std::vector<Eviction>& evictions) {
  for (const RecordedEnd& end : ends) {
    const bool is_awaited = std::any_of(evictions.begin(), evictions.end(), [&](const auto& one) {
      return one.pod == end.pod && !one.dry_run && is_of_disk(one);
    });
    if (!is_awaited) {
      continue;
    }
    if (const std::optional<Wait> wait = recorded_wait(parts, end)) {
      recorded_.emplace(end.pod, *wait);
    }
  }
}

/// Nothing where the recording ends before it could tell.
std::optional<DiskWait::Wait> DiskWait::recorded_wait(const Parts& parts, const RecordedEnd& end) {
  std::optional<MonoTime> killed_at;
  std::optional<MonoTime> released_at;
  for (std::size_t i = parts.place_at(end.asked_at); i < parts.passes.size(); ++i) {
    const RecordedPass& pass = *parts.passes[i];
    if (pass.now <= end.asked_at || !pass.observations) {
      continue;
    }
    const eviction::ReleasingPod* const release = find_release(pass, end, killed_at);
    if (release != nullptr) {
      killed_at = release->killed_at;
    } else if (killed_at || pass.now >= end.kill_at) {
      released_at = pass.now;
      break;
    }
  }
  if (!killed_at && !released_at) {
    return std::nullopt;
  }
  const MonoTime from = killed_at.value_or(end.kill_at);
  const MonoTime last = from + eviction::kReleaseWait;
  return Wait{.killed_at = from, .released_at = std::min(released_at.value_or(last), last)};
}

void DiskWait::begin(std::size_t pod, MonoTime kill_at, End end) {
  const auto known = recorded_.find(pod);
  if (end == End::kAsRecorded && known != recorded_.end()) {
    awaited_.insert_or_assign(pod, known->second);
    return;
  }
  if (const auto before = awaited_.find(pod); before != awaited_.end()) {
    kill_at = std::min(kill_at, before->second.killed_at);
  }
  if (known == recorded_.end()) {
    guessed_.insert(pod);
  }
  const Duration takes = known == recorded_.end()
                             ? eviction::kReleaseWait
                             : known->second.released_at - known->second.killed_at;
  awaited_.insert_or_assign(pod, Wait{.killed_at = kill_at, .released_at = kill_at + takes});
}

bool DiskWait::is_released(std::size_t pod, MonoTime now) const {
  const auto wait = awaited_.find(pod);
  return wait != awaited_.end() && !guessed_.contains(pod) && wait->second.released_at <= now;
}

std::optional<MonoTime> DiskWait::next_release(MonoTime now) const {
  std::optional<MonoTime> next;
  for (const auto& [pod, wait] : awaited_) {
    if (!guessed_.contains(pod) && wait.released_at > now && (!next || wait.released_at < *next)) {
      next = wait.released_at;
    }
  }
  return next;
}

std::optional<MonoTime> DiskWait::last_release() const {
  std::optional<MonoTime> last;
  for (const auto& [pod, wait] : awaited_) {
    last = std::max(last, std::optional(wait.released_at));
  }
  return last;
}

}  // namespace evictd::replay
