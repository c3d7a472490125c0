// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sys/root.h"

namespace evictd::disk {

/// A container, or the sandbox of a pod, found by its cgroup.
struct ContainerPlace {
  /// Its directory in the memory hierarchy, absolute.
  std::string cgroup;
  /// As in the manifest; empty if no status of the pod has it.
  std::string name;
};

/// The writable layer of a container: its files outside volumes.
struct WritableLayer {
  /// Empty if unknown.
  std::string container;
  /// The upper directory of its overlay, absolute.
  std::string directory;
};

struct WritableLayers {
  std::vector<WritableLayer> all;
  /// False: a container's root filesystem is not an overlay, or could not be read.
  bool complete = true;
};

/// The writable layers of a pod's running containers. Source: the mount at "/" of the first process
/// in the cgroup (/proc/PID/mountinfo), without the runtime. A name missing in the status follows
/// from a file that the kubelet mounts into each container from
/// KUBELET_ROOT/pods/UID/containers/NAME. A cgroup without this file, beside others with it, is the
/// sandbox, which the kubelet does not count. A process with evictd's root filesystem has no layer.
/// Cost: two files read per container.
[[nodiscard]] WritableLayers find_writable_layers(const sys::Root& root, std::string_view uid,
                                                  std::span<const ContainerPlace> containers);

}  // namespace evictd::disk
