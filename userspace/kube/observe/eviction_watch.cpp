// SPDX-License-Identifier: Apache-2.0
#include "kube/observe/eviction_watch.h"

#include <chrono>

#include "kube/actions/names.h"

namespace evictd::kube {

exporting::ComparedEviction compared_eviction(const std::string& uid,
                                              const KubeletEviction& evicted, WallTime now) {
  EvictionAmounts amounts = amounts_in(evicted.message);
  return {.ns = evicted.ns,
          .name = evicted.name,
          .uid = uid,
          .time = evicted.time.value_or(now),
          .precision = evicted.time ? std::chrono::seconds(1) : Duration(0),
          .time_source = evicted.time ? std::string(evicted.time_source) : "seen",
          .resource = std::move(amounts.resource),
          .available = amounts.available,
          .usage = amounts.usage};
}

void EvictionWatch::on_list(std::vector<PodDocument> pods, MonoTime now) {
  std::set<std::string> listed;
  for (const PodDocument& pod : pods) {
    look_at(pod);
    if (pod.evicted) {
      listed.insert(pod.uid);
    }
  }
  evicted_ = std::move(listed);
  had_list_ = true;
  options_.next->on_list(std::move(pods), now);
}

void EvictionWatch::on_pod(PodDocument pod) {
  look_at(pod);
  options_.next->on_pod(std::move(pod));
}

void EvictionWatch::on_deleted(const std::string& uid) {
  evicted_.erase(uid);
  options_.next->on_deleted(uid);
}

void EvictionWatch::look_at(const PodDocument& pod) {
  const bool is_named =
      pod.evicted && is_object_name(pod.evicted->ns) && is_object_name(pod.evicted->name);
  if (!is_named || !evicted_.insert(pod.uid).second) {
    return;
  }
  if (!pod.evicted->time && !had_list_) {
    ++counters_.undated;
    return;
  }
  ++counters_.evictions;
  options_.on_eviction(compared_eviction(pod.uid, *pod.evicted, options_.clock->wall_now()));
}

}  // namespace evictd::kube
