// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/named_container.h"
#include "cluster/pod_table.h"
#include "core/clock.h"
#include "evictd/bytes.h"
#include "evictd/time.h"
#include "sys/cgroup_files.h"
#include "sys/root.h"

namespace evictd::daemon {

/// Memory use of one container of a pod at a moment.
struct ContainerSample {
  std::string name;
  /// As CgroupUsage::working_set() of the container's own cgroup.
  Bytes working_set{0};
  /// The moment right after the read.
  MonoTime read_at{};
};

/// Memory use of containers with known names (cluster/named_container.h). Only the texts of
/// evictions use it, never a decision. Containers are read as often as the kubelet makes
/// statistics. Once a victim is reported, its containers have nothing left to read. Thread rule:
/// housekeeping only. Blocks in file system calls.
class ContainerMemory {
 public:
  /// Interval between two reads of a container.
  static constexpr Duration kInterval = std::chrono::seconds(10);
  /// A round over many containers is spread over this many calls. A second constant is the number
  /// that every call reads, however many there are.
  static constexpr std::size_t kCalls = 8;
  static constexpr std::size_t kLeastACall = 64;

  /// Borrows both.
  ContainerMemory(const sys::Root& root, const core::Clock& clock) : root_(root), clock_(clock) {}

  /// Reads the containers that are due; call it once a second. Cost: for each container read, two
  /// files are opened, read and closed.
  void refresh(const cluster::PodTable& table, const sys::CgroupLayout& layout);

  /// Returns the newest samples of the pod's containers that are not later than `moment`, in the
  /// order of named_containers(). Containers without a sample are left out.
  [[nodiscard]] std::vector<ContainerSample> as_of(std::string_view uid, MonoTime moment) const;

 private:
  struct Reading {
    Bytes working_set{0};
    MonoTime at{};
  };
  struct Known {
    std::string uid;
    cluster::NamedContainer container;
    /// The sample before is kept, because the newest may be of a pod that was killed meanwhile.
    std::optional<Reading> newest;
    std::optional<Reading> before;
  };

  void begin_round(const cluster::PodTable& table);
  void read(const sys::CgroupLayout& layout, Known& one);

  const sys::Root& root_;
  const core::Clock& clock_;
  /// Containers of one pod are adjacent.
  std::vector<Known> known_;
  /// Index of the next container to read; the end of the list once the round is over.
  std::size_t next_ = 0;
  std::optional<MonoTime> next_round_;
  sys::ReadBuffer buffer_{};
};

}  // namespace evictd::daemon
