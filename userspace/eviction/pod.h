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
  kOther,  ///< The status has another value, which is accepted.
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

/// The runtime's container that runs, or ran last, under a name.
struct ContainerStatus {
  std::string name;
  /// Without the runtime's name: the part of "containerd://ID" after "://".
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

/// The part of v1.Pod that eviction needs, plus facts that only the pod's discovery knows. Absent
/// fields are empty or zero. cluster/pod_json.h fills it from a manifest, or from the cgroup alone.
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
  /// status.qosClass verbatim, "" if absent.
  std::string status_qos_class;
  /// Regular, init and ephemeral containers, in this order; only those with an id.
  std::vector<ContainerStatus> container_statuses;

  // not of v1.Pod
  /// The class that follows from the cgroup's path; used without a manifest.
  std::optional<QosClass> qos_from_cgroup;
  /// The source makes it static: a static-manifest directory, or a uid of 32 hex digits.
  bool from_static_source = false;
};

}  // namespace evictd::eviction
