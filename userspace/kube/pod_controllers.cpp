// SPDX-License-Identifier: Apache-2.0
#include "kube/pod_controllers.h"

#include <utility>

namespace evictd::kube {

namespace {

/// Beyond this number, all deleted pods are dropped.
constexpr std::size_t kMostGone = 1024;

}  // namespace

void PodControllers::on_list(std::vector<PodDocument> pods, MonoTime now) {
  Known listed;
  for (const PodDocument& pod : pods) {
    if (pod.controller) {
      listed.insert_or_assign(pod.uid, *pod.controller);
    }
    known_.erase(pod.uid);
  }
  while (!known_.empty()) {
    remember_deleted(known_.extract(known_.begin()));
  }
  known_ = std::move(listed);
  next_.on_list(std::move(pods), now);
}

void PodControllers::on_pod(PodDocument pod) {
  if (pod.controller) {
    known_.insert_or_assign(pod.uid, *pod.controller);
  } else {
    known_.erase(pod.uid);
  }
  next_.on_pod(std::move(pod));
}

void PodControllers::on_deleted(const std::string& uid) {
  remember_deleted(known_.extract(uid));
  next_.on_deleted(uid);
}

void PodControllers::remember_deleted(Known::node_type gone) {
  if (gone.empty()) {
    return;
  }
  if (gone_.size() >= kMostGone) {
    gone_.clear();
  }
  gone_.insert(std::move(gone));
}

std::optional<Controller> PodControllers::find(const std::string& uid) const {
  for (const Known* const pods : {&known_, &gone_}) {
    if (const auto found = pods->find(uid); found != pods->end()) {
      return found->second;
    }
  }
  return std::nullopt;
}

}  // namespace evictd::kube
