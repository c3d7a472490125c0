// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sys/root.h"

namespace evictd::disk {

/// A container, or the sandbox of a pod, as its cgroup shows it.
struct ContainerPlace {
  /// Its directory in the memory hierarchy, absolute.
  std::string cgroup;
  /// As in the manifest; empty where no status of the pod tells.
  std::string name;
};

/// What a container has written beside its volumes.
struct WritableLayer {
  /// Empty where nothing tells.
  std::string container;
  /// The upper directory of its overlay, absolute.
  std::string directory;
};

struct WritableLayers {
  std::vector<WritableLayer> all;
  /// False: a container has a root filesystem that is no overlay, or it could not be looked at.
  bool complete = true;
};

/// The layers of a pod's containers that run. Source: the mount at "/" of the first process in the
/// cgroup (/proc/PID/mountinfo): no runtime is asked. A name that no status tells follows from a
/// file that the kubelet mounts into each container from KUBELET_ROOT/pods/UID/containers/NAME; a
/// cgroup without one beside others is the sandbox, which the kubelet does not count. A process
/// with the root filesystem of evictd has no layer.
/// Cost: two files read for each container.
[[nodiscard]] WritableLayers find_writable_layers(const sys::Root& root, std::string_view uid,
                                                  std::span<const ContainerPlace> containers);

}  // namespace evictd::disk
