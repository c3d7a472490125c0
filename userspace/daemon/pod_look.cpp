// SPDX-License-Identifier: Apache-2.0
#include "daemon/pod_look.h"

#include <functional>

#include "enforce/inhabitants.h"

namespace evictd::daemon {

namespace {

/// Calls `use` with the files of `pod`, which are without a descriptor if they cannot be had.
void with_files_of(const HotPod& pod, const PodRegistry& registry,
                   const std::function<void(const sys::CgroupFiles&)>& use) {
  if (pod.files.usage_fd() >= 0) {
    use(pod.files);
  } else {
    use(registry.open_files_of(pod.uid).value_or(sys::CgroupFiles()));
  }
}

}  // namespace

FoundPod look_at_pod(const HotPod& pod, const PodRegistry& registry, SavedLook saved,
                     MonoTime now) {
  FoundPod found;
  with_files_of(pod, registry, [&](const sys::CgroupFiles& files) {
    sys::ReadBuffer buffer{};
    CgroupUsage usage;
    static_cast<void>(files.read_live(now, buffer, usage));
    found.tasks = usage.tasks;
    found.charged = usage.usage;
    found.intent = enforce::read_intent(files.usage_fd());
    const bool is_known = found.intent || saved == SavedLook::kSome;
    found.inhabitants = enforce::look_at_inhabitants(
        *pod.target,
        is_known ? enforce::InhabitantsLook::kWhole : enforce::InhabitantsLook::kUntilOneLives);
  });
  return found;
}

std::optional<enforce::Intent> intent_of(const HotPod& pod, const PodRegistry& registry) {
  std::optional<enforce::Intent> intent;
  with_files_of(pod, registry, [&](const sys::CgroupFiles& files) {
    intent = enforce::read_intent(files.usage_fd());
  });
  return intent;
}

void clear_intent_of(const HotPod& pod, const PodRegistry& registry) {
  with_files_of(pod, registry,
                [](const sys::CgroupFiles& files) { enforce::clear_intent(files.usage_fd()); });
}

}  // namespace evictd::daemon
