// SPDX-License-Identifier: Apache-2.0
#include "eviction/pod_facts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "eviction/signal.h"

namespace evictd::eviction {
namespace {

constexpr std::string_view kSourceAnnotation = "kubernetes.io/config.source";
constexpr std::string_view kMirrorAnnotation = "kubernetes.io/config.mirror";
constexpr std::string_view kNodeCriticalClass = "system-node-critical";
constexpr std::string_view kMemoryPressureTaint = "node.kubernetes.io/memory-pressure";
/// The resources that decide the QoS class.
constexpr std::array<std::string_view, 2> kQosResources{"cpu", "memory"};
constexpr std::string_view kEphemeralStorage = "ephemeral-storage";

const Quantity* find(const ResourceList& list, std::string_view resource) {
  const auto found = list.find(resource);
  return found == list.end() ? nullptr : &found->second;
}

bool has_positive(const ResourceList& list, std::string_view resource) {
  const Quantity* const amount = find(list, resource);
  return amount != nullptr && amount->sign() > 0;
}

/// Positive amounts of one resource, added over all containers.
Quantity positive_sum(const Pod& pod, std::string_view resource,
                      ResourceList Container::*resources) {
  Quantity sum;
  for (const auto* containers : {&pod.containers, &pod.init_containers}) {
    for (const Container& container : *containers) {
      if (has_positive(container.*resources, resource)) {
        sum += *find(container.*resources, resource);
      }
    }
  }
  return sum;
}

bool every_container_limits_all(const Pod& pod) {
  const auto limits_all = [](const Container& container) {
    return std::all_of(kQosResources.begin(), kQosResources.end(), [&](std::string_view resource) {
      return has_positive(container.limits, resource);
    });
  };
  return std::all_of(pod.containers.begin(), pod.containers.end(), limits_all) &&
         std::all_of(pod.init_containers.begin(), pod.init_containers.end(), limits_all);
}

QosClass qos_from_text(std::string_view text) {
  for (const QosClass qos : {QosClass::kGuaranteed, QosClass::kBurstable, QosClass::kBestEffort}) {
    if (to_string(qos) == text) {
      return qos;
    }
  }
  return QosClass::kOther;
}

std::optional<Quantity> ephemeral_limit(const Container& container) {
  const Quantity* const limit = find(container.limits, kEphemeralStorage);
  return limit == nullptr ? std::nullopt : std::optional(*limit);
}

void add(std::optional<Quantity>& to, const std::optional<Quantity>& amount) {
  if (to && amount) {
    *to += *amount;
  } else if (amount) {
    to = amount;
  }
}

void raise(std::optional<Quantity>& to, const std::optional<Quantity>& amount) {
  if (amount && (!to || *to < *amount)) {
    to = amount;
  }
}

Wide nanos_of(const Quantity& quantity) {
  if (const std::optional<Wide> nanos = quantity.nanos()) {
    return *nanos;
  }
  constexpr Wide kMost = Wide{1'000'000'000'000'000'000} * Wide{10'000'000'000'000'000'000U};
  return quantity.sign() < 0 ? -kMost : kMost;
}

bool has_critical_priority(const Pod& pod) {
  return pod.priority.value_or(0) >= kCriticalPriority;
}

}  // namespace

QosClass computed_qos(const Pod& pod) {
  bool any_request = false;
  bool any_limit = false;
  bool equal = every_container_limits_all(pod);
  for (const std::string_view resource : kQosResources) {
    const Quantity request = positive_sum(pod, resource, &Container::requests);
    const Quantity limit = positive_sum(pod, resource, &Container::limits);
    any_request = any_request || request.sign() > 0;
    any_limit = any_limit || limit.sign() > 0;
    equal = equal && request == limit;
  }
  if (!any_request && !any_limit) {
    return QosClass::kBestEffort;
  }
  return equal ? QosClass::kGuaranteed : QosClass::kBurstable;
}

QosClass qos_of(const Pod& pod, Compat compat) {
  if (compat != Compat::k1_26 && !pod.status_qos_class.empty()) {
    return qos_from_text(pod.status_qos_class);
  }
  return pod.qos_from_cgroup.value_or(computed_qos(pod));
}

std::string qos_text(const Pod& pod, Compat compat) {
  if (compat != Compat::k1_26 && !pod.status_qos_class.empty()) {
    return pod.status_qos_class;
  }
  return std::string(to_string(qos_of(pod, compat)));
}

bool is_static(const Pod& pod) {
  const auto source = pod.annotations.find(kSourceAnnotation);
  return pod.from_static_source || (source != pod.annotations.end() && source->second != "api");
}

bool is_mirror(const Pod& pod) {
  return pod.annotations.contains(kMirrorAnnotation);
}

bool is_critical(const Pod& pod) {
  return is_static(pod) || is_mirror(pod) || has_critical_priority(pod);
}

bool protect_as(Pod& pod, const Pod& other) {
  bool added = false;
  if (is_static(other) && !is_static(pod)) {
    pod.from_static_source = true;
    added = true;
  }
  if (const auto mirror = other.annotations.find(kMirrorAnnotation);
      mirror != other.annotations.end()) {
    added = pod.annotations.insert(*mirror).second || added;
  }
  if (has_critical_priority(other) && !has_critical_priority(pod)) {
    pod.priority = other.priority;
    pod.priority_class_name = other.priority_class_name;
    added = true;
  }
  return added;
}

Quantity effective_request(const Pod& pod, const std::string& resource) {
  Quantity sum;
  for (const Container& container : pod.containers) {
    if (const Quantity* const request = find(container.requests, resource)) {
      sum += *request;
    }
  }
  for (const Container& container : pod.init_containers) {
    const Quantity* const request = find(container.requests, resource);
    if (request != nullptr && sum < *request) {
      sum = *request;
    }
  }
  if (const Quantity* const overhead = find(pod.overhead, resource);
      overhead != nullptr && sum.sign() != 0) {
    sum += *overhead;
  }
  return sum;
}

std::optional<Quantity> effective_ephemeral_limit(const Pod& pod, Compat compat) {
  std::optional<Quantity> total;
  for (const Container& container : pod.containers) {
    add(total, ephemeral_limit(container));
  }
  std::optional<Quantity> sidecars;
  std::optional<Quantity> largest_init;
  for (const Container& container : pod.init_containers) {
    std::optional<Quantity> while_it_runs;
    if (compat != Compat::k1_26 && container.restarts_always) {
      add(total, ephemeral_limit(container));
      add(sidecars, ephemeral_limit(container));
      while_it_runs = sidecars;
    } else {
      add(while_it_runs, ephemeral_limit(container));
      add(while_it_runs, sidecars);  // 1.26 has none
    }
    raise(largest_init, while_it_runs);
  }
  raise(total, largest_init);
  const Quantity* const overhead = find(pod.overhead, kEphemeralStorage);
  if (overhead != nullptr && total && total->sign() != 0) {
    *total += *overhead;
  }
  return total;
}

bool tolerates_memory_pressure(const Pod& pod) {
  const auto tolerates = [](const Toleration& toleration) {
    if (!toleration.effect.empty() && toleration.effect != "NoSchedule") {
      return false;
    }
    if (!toleration.key.empty() && toleration.key != kMemoryPressureTaint) {
      return false;
    }
    if (toleration.op.empty() || toleration.op == "Equal") {
      return toleration.value.empty();
    }
    return toleration.op == "Exists";
  };
  return std::any_of(pod.tolerations.begin(), pod.tolerations.end(), tolerates);
}

PodFacts facts_of(const Pod& pod, Compat compat) {
  PodFacts facts;
  facts.qos = qos_of(pod, compat);
  facts.priority = pod.priority.value_or(0);
  facts.is_static = is_static(pod);
  facts.is_mirror = is_mirror(pod);
  facts.is_critical = is_critical(pod);
  facts.is_node_critical = facts.is_critical && pod.priority_class_name == kNodeCriticalClass;
  facts.tolerates_memory_pressure = tolerates_memory_pressure(pod);
  facts.memory_request_nanos = nanos_of(effective_request(pod, "memory"));
  facts.ephemeral_request_nanos = nanos_of(effective_request(pod, std::string(kEphemeralStorage)));
  facts.inode_request_nanos =
      nanos_of(effective_request(pod, std::string(to_string(Resource::kInodes))));
  facts.termination_grace_seconds = pod.termination_grace_seconds;
  const auto has_size_limit = [](const Volume& volume) {
    return volume.empty_dir && volume.empty_dir->size_limit;
  };
  facts.has_local_limits = effective_ephemeral_limit(pod, compat).has_value() ||
                           std::any_of(pod.volumes.begin(), pod.volumes.end(), has_size_limit);
  return facts;
}

}  // namespace evictd::eviction
