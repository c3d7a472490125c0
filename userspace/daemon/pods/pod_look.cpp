// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/pod_look.h"

#include "enforce/inhabitants.h"

namespace evictd::daemon {

namespace {

/// Without a descriptor if they cannot be opened.
sys::CgroupFiles own_files_of(const HotPod& pod, const PodRegistry& registry) {
  return registry.open_files_of(pod.uid).value_or(sys::CgroupFiles());
}

}  // namespace

FoundPod inspect_pod(const HotPod& pod, const PodRegistry& registry, SavedLook saved,
                     MonoTime now) {
  const sys::CgroupFiles own =
      pod.files.usage_fd() >= 0 ? sys::CgroupFiles() : own_files_of(pod, registry);
  const sys::CgroupFiles& files =
      pod.files.usage_fd() >= 0 ? pod.files.opened(HotFiles::Key()) : own;
  sys::ReadBuffer buffer{};
  CgroupUsage usage;
  static_cast<void>(files.read_live(now, buffer, usage));
  FoundPod found;
  found.tasks = usage.tasks;
  found.charged = usage.has_memory() ? usage.working_set() : Bytes{-1};
  found.intent = enforce::read_intent(files.usage_fd());
  const bool is_known = found.intent || saved == SavedLook::kSome;
  found.inhabitants = enforce::look_at_inhabitants(
      *pod.target,
      is_known ? enforce::InhabitantsLook::kWhole : enforce::InhabitantsLook::kUntilOneLives);
  return found;
}

std::optional<enforce::Intent> intent_of(const HotPod& pod, const PodRegistry& registry) {
  return enforce::read_intent(own_files_of(pod, registry).usage_fd());
}

void clear_intent_of(const HotPod& pod, const PodRegistry& registry) {
  enforce::clear_intent(own_files_of(pod, registry).usage_fd());
}

}  // namespace evictd::daemon
