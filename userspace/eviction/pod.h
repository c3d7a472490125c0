// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evictd/time.h"
#include "eviction/quantity.h"

namespace evictd::eviction {

/// Resource name ("cpu", "memory", "ephemeral-storage") to amount.
using ResourceList = std::map<std::string, Quantity, std::less<>>;

/// The quality of service class of a pod.
enum class QosClass : std::uint8_t {
  kGuaranteed,
  kBurstable,
  kBestEffort,
  kOther,  ///< A status that says something else; it is believed, and is none of the three.
};

/// "Guaranteed", "Burstable", "BestEffort" or "Other".
[[nodiscard]] std::string_view to_string(QosClass qos);

/// One container of v1.Pod, regular or init.
struct Container {
  std::string name;
  ResourceList requests;
  ResourceList limits;
  /// An init container with restartPolicy Always, a "sidecar".
  bool restarts_always = false;
};

/// Which container of the runtime's runs, or ran last, under a name.
struct ContainerStatus {
  std::string name;
  /// Without the runtime's name: the part of "containerd://ID" behind "://".
  std::string id;
};

struct Toleration {
  std::string key;
  /// "", "Equal" or "Exists"; anything else tolerates nothing.
  std::string op;
  std::string value;
  std::string effect;
};

struct EmptyDir {
  /// "", "Memory", "HugePages".
  std::string medium;
  std::optional<Quantity> size_limit;
};

/// A volume, as far as local storage is concerned.
struct Volume {
  std::string name;
  std::optional<EmptyDir> empty_dir;
  bool host_path = false;
  bool config_map = false;
  bool git_repo = false;
};

/// The part of v1.Pod that eviction looks at, plus what only the finder of the pod can know. Absent
/// fields are empty or zero. Filled by cluster/pod_json.h from a manifest, or from the cgroup
/// alone.
struct Pod {
  // metadata
  std::string name;
  std::string ns;
  std::string uid;
  std::map<std::string, std::string, std::less<>> annotations;
  std::map<std::string, std::string, std::less<>> labels;
  std::optional<WallTime> created_at;
  bool deletion_requested = false;

  // spec
  std::vector<Container> containers;
  std::vector<Container> init_containers;
  ResourceList overhead;
  std::vector<Toleration> tolerations;
  std::vector<Volume> volumes;
  std::optional<std::int32_t> priority;
  std::string priority_class_name;
  std::optional<std::int64_t> termination_grace_seconds;

  // status
  /// "Pending", "Running", "Succeeded", "Failed", "Unknown" or "".
  std::string phase;
  /// status.qosClass as it is written, "" when there is none.
  std::string status_qos_class;
  /// Of regular, init and ephemeral containers, in this order; those that have an id.
  std::vector<ContainerStatus> container_statuses;

  // not of v1.Pod
  /// The class that the place of the cgroup tells; used when there is no manifest to compute it
  /// from.
  std::optional<QosClass> qos_from_cgroup;
  /// The source itself makes it static: a static-manifest directory, or a uid of 32 hex digits.
  bool from_static_source = false;
};

}  // namespace evictd::eviction
