// SPDX-License-Identifier: Apache-2.0
#include "kube/known_pods.h"

#include <iterator>
#include <set>
#include <utility>

namespace evictd::kube {

namespace {

void refuse_pod(ManifestChanges& changes, std::string why) {
  if (changes.refused++ == 0) {
    changes.first_refusal = std::move(why);
  }
}

}  // namespace

void KnownPods::adopt(PodDocument document) {
  ContainerRoles roles = container_roles(document.text);
  pods_.insert_or_assign(std::move(document.uid),
                         Known{.text = std::move(document.text), .roles = std::move(roles)});
}

void KnownPods::take(PodDocument document, ManifestChanges& changes) {
  const auto known = pods_.find(document.uid);
  if (known != pods_.end()) {
    known->second.absent_since.reset();
    if (known->second.text == document.text) {
      return;
    }
  } else if (pods_.size() >= max_pods_) {
    refuse_pod(changes, "more than " + std::to_string(max_pods_) + " pods");
    return;
  }
  if (const Result<> checked = check_document(document); !checked) {
    refuse_pod(changes, checked.error().context);
    return;
  }
  pods_.insert_or_assign(document.uid,
                         Known{.text = document.text, .roles = container_roles(document.text)});
  changes.write.push_back(std::move(document));
}

ManifestChanges KnownPods::take_list(std::vector<PodDocument> pods, Absence absence, MonoTime now) {
  ManifestChanges changes;
  std::set<std::string> listed;
  for (const PodDocument& pod : pods) {
    listed.insert(pod.uid);
  }
  const Duration patience = pods.empty() ? absence.all_gone_after : absence.gone_after;
  // First, so that removed pods make room.
  for (auto item = pods_.begin(); item != pods_.end();) {
    auto& [uid, known] = *item;
    if (!listed.contains(uid) && !known.absent_since) {
      known.absent_since = now;
    }
    const bool is_gone = !listed.contains(uid) && now - *known.absent_since >= patience;
    if (is_gone) {
      changes.remove.push_back(uid);
    }
    item = is_gone ? pods_.erase(item) : std::next(item);
  }
  for (PodDocument& pod : pods) {
    take(std::move(pod), changes);
  }
  return changes;
}

ManifestChanges KnownPods::take_pod(PodDocument pod) {
  ManifestChanges changes;
  take(std::move(pod), changes);
  return changes;
}

ManifestChanges KnownPods::take_deleted(const std::string& uid) {
  ManifestChanges changes;
  if (pods_.erase(uid) != 0) {
    changes.remove.push_back(uid);
  }
  return changes;
}

const ContainerRoles& KnownPods::roles_in(const std::string& uid) const {
  static const ContainerRoles kNone;
  const auto known = pods_.find(uid);
  return known == pods_.end() ? kNone : known->second.roles;
}

void KnownPods::forget_text(const std::string& uid) {
  if (const auto known = pods_.find(uid); known != pods_.end()) {
    known->second.text.clear();
  }
}

}  // namespace evictd::kube
