// SPDX-License-Identifier: Apache-2.0
#include "eviction/message.h"

#include <vector>

#include "eviction/amounts.h"
#include "eviction/pod_facts.h"

namespace evictd::eviction {
namespace {

/// "Threshold quantity: 1Gi, available: 500Mi. " of the first threshold on the resource that was
/// observed, empty if there is none.
std::string threshold_sentence(const EvictionStory& story) {
  for (const std::size_t place : story.actionable) {
    const Threshold& threshold = story.thresholds[place];
    const std::optional<Observation>& seen = story.observations[threshold.signal];
    if (resource_of(threshold.signal) != story.resource || !seen) {
      continue;
    }
    return "Threshold quantity: " + quantity_of(threshold.value, seen->capacity).to_string() +
           ", available: " + Quantity(seen->available, format_of(threshold.signal)).to_string() +
           ". ";
  }
  return {};
}

/// What a container uses of the resource; nothing if that is not known.
std::optional<Quantity> container_usage(const ContainerStatistics& container, Resource resource) {
  switch (resource) {
    case Resource::kMemory:
      return container.working_set_bytes
                 ? std::optional(binary_bytes(wrapped(*container.working_set_bytes)))
                 : std::nullopt;
    case Resource::kEphemeralStorage:
      if (!container.rootfs || !container.rootfs->bytes || !container.logs ||
          !container.logs->bytes) {
        return std::nullopt;
      }
      return binary_bytes(wrapped(*container.rootfs->bytes + *container.logs->bytes));
    case Resource::kInodes:
    case Resource::kPids:
    case Resource::kNone:
      return std::nullopt;
  }
  return std::nullopt;
}

/// The containers that one entry of statistics is matched with: in 1.26 every regular one of that
/// name, in 1.32 the first of that name, regular ones before init ones.
std::vector<const Container*> containers_named(const Pod& pod, std::string_view name,
                                               Compat compat) {
  std::vector<const Container*> found;
  for (const Container& container : pod.containers) {
    if (container.name == name) {
      found.push_back(&container);
    }
  }
  if (compat == Compat::k1_26) {
    return found;
  }
  for (const Container& container : pod.init_containers) {
    if (container.name == name) {
      found.push_back(&container);
    }
  }
  if (found.size() > 1) {
    found.resize(1);
  }
  return found;
}

struct Offenders {
  std::string sentences;
  std::string names;
  std::string usages;
};

Offenders offenders(const EvictionStory& story, Compat compat) {
  Offenders result;
  bool first = true;
  for (const ContainerStatistics& statistics : story.statistics->containers) {
    for (const Container* const container : containers_named(story.pod, statistics.name, compat)) {
      const auto request = container->requests.find(to_string(story.resource));
      const Quantity requested =
          request == container->requests.end() ? Quantity() : request->second;
      const std::optional<Quantity> used = container_usage(statistics, story.resource);
      if (!used || *used <= requested) {
        continue;
      }
      result.sentences += "Container " + container->name + " was using " + used->to_string() +
                          ", request is " + requested.to_string() + ", has larger consumption of " +
                          std::string(to_string(story.resource)) + ". ";
      if (!first) {
        result.names += ',';
        result.usages += ',';
      }
      first = false;
      result.names += container->name;
      result.usages += used->to_string();
    }
  }
  return result;
}

}  // namespace

EvictionText eviction_text(const EvictionStory& story, Compat compat) {
  EvictionText text;
  text.message = "The node was low on resource: " + std::string(to_string(story.resource)) + ". ";
  text.message += threshold_sentence(story);
  if (story.statistics == nullptr) {
    return text;
  }
  Offenders found = offenders(story, compat);
  text.message += found.sentences;
  text.annotations = {{"offending_containers", std::move(found.names)},
                      {"offending_containers_usage", std::move(found.usages)},
                      {"starved_resource", std::string(to_string(story.resource))}};
  return text;
}

std::string local_storage_text(const Pod& pod, const PodStatistics& statistics,
                               LocalStorageBreach breach, Compat compat) {
  switch (breach.limit) {
    case LocalLimit::kEmptyDir: {
      const Volume& volume = pod.volumes.at(breach.place);
      const Quantity limit = volume.empty_dir && volume.empty_dir->size_limit
                                 ? *volume.empty_dir->size_limit
                                 : Quantity();
      return "Usage of EmptyDir volume \"" + volume.name + "\" exceeds the limit \"" +
             limit.to_string() + "\". ";
    }
    case LocalLimit::kPod:
      return "Pod ephemeral local storage usage exceeds the total limit of containers " +
             effective_ephemeral_limit(pod, compat).value_or(Quantity()).to_string() + ". ";
    case LocalLimit::kContainer: {
      const std::string& name = statistics.containers.at(breach.place).name;
      const Quantity* const limit = container_ephemeral_limit(pod, name);
      return "Container " + name + " exceeded its local ephemeral storage limit \"" +
             (limit == nullptr ? Quantity() : *limit).to_string() + "\". ";
    }
  }
  return {};
}

std::string threshold_met_text(Resource resource) {
  return "Attempting to reclaim " + std::string(to_string(resource));
}

std::string admission_text(ConditionSet conditions) {
  std::string names;
  for (const Condition condition : kConditions) {
    if (conditions.has(condition)) {
      names += (names.empty() ? "" : " ") + std::string(to_string(condition));
    }
  }
  return "The node had condition: [" + names + "]. ";
}

}  // namespace evictd::eviction
