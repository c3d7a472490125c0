// SPDX-License-Identifier: Apache-2.0
#include "cri/evicted_pods.h"

#include <algorithm>

namespace evictd::cri {
namespace {

/// The steps of one eviction are closer together than this. An evictd without a record file
/// restarts its decision numbers at each start.
constexpr Duration kOneEviction = std::chrono::minutes(10);

bool is_same(const EvictedPod& one, const EvictedPod& other) {
  const Duration apart =
      one.seen_at > other.seen_at ? one.seen_at - other.seen_at : other.seen_at - one.seen_at;
  return one.id == other.id && one.uid == other.uid && apart < kOneEviction;
}

}  // namespace

EvictedPods::EvictedPods() : EvictedPods(Limits{}) {}

EvictedPods::EvictedPods(Limits limits) : limits_(limits) {}

bool EvictedPods::add(const EvictedPod& pod, MonoTime now) {
  const auto is_it = [&](const EvictedPod& known) { return is_same(known, pod); };
  if (std::any_of(remembered_.rbegin(), remembered_.rend(), is_it)) {
    return false;
  }
  remembered_.push_back(pod);
  if (remembered_.size() > limits_.remembered) {
    remembered_.pop_front();
  }
  ++counters_.told;
  waiting_.push_back({.pod = pod, .due = now, .wait = limits_.first_wait});
  if (waiting_.size() > limits_.waiting) {
    waiting_.pop_front();
    ++counters_.abandoned;
  }
  return true;
}

std::optional<EvictedPod> EvictedPods::next(MonoTime now) const {
  for (const Waiting& one : waiting_) {
    if (one.due <= now) {
      return one.pod;
    }
  }
  return std::nullopt;
}

std::optional<MonoTime> EvictedPods::due() const {
  std::optional<MonoTime> first;
  for (const Waiting& one : waiting_) {
    first = std::min(first.value_or(one.due), one.due);
  }
  return first;
}

void EvictedPods::succeeded(const EvictedPod& pod) {
  std::erase_if(waiting_, [&](const Waiting& one) { return one.pod == pod; });
}

void EvictedPods::failed(const EvictedPod& pod, MonoTime now) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const Waiting& one) { return one.pod == pod; });
  if (found == waiting_.end()) {
    return;
  }
  if (++found->attempts >= limits_.attempts) {
    waiting_.erase(found);
    ++counters_.abandoned;
    return;
  }
  ++counters_.retried;
  found->due = now + found->wait;
  found->wait = std::min(found->wait * 2, limits_.longest_wait);
}

}  // namespace evictd::cri
