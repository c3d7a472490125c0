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

/// What one container of a pod used at a moment.
struct ContainerSample {
  std::string name;
  /// As CgroupUsage::working_set() of the container's own cgroup.
  Bytes working_set{0};
  /// Right after it was read.
  MonoTime read_at{};
};

/// The memory of containers whose names are known (cluster/named_container.h), for the texts of
/// evictions alone: no decision looks at it. Read as often as a kubelet's statistics are made,
/// since a victim's containers have nothing left to be read once it is told of. Thread rule:
/// housekeeping only. Blocks in file system calls.
class ContainerMemory {
 public:
  /// How often each is read.
  static constexpr Duration kInterval = std::chrono::seconds(10);
  /// The calls that the reading of all containers is spread over, where there are many, and the
  /// number that one call reads whatever their number.
  static constexpr std::size_t kCalls = 8;
  static constexpr std::size_t kLeastACall = 64;

  /// Borrows both.
  ContainerMemory(const sys::Root& root, const core::Clock& clock) : root_(root), clock_(clock) {}

  /// Reads those whose turn it is; to be called once a second.
  /// Cost: for each container that is read two files opened, read and closed.
  void refresh(const cluster::PodTable& table, const sys::CgroupLayout& layout);

  /// The newest samples of the pod's containers that were read no later than `moment`, in the order
  /// of named_containers(). A container that was not read is left out.
  [[nodiscard]] std::vector<ContainerSample> as_of(std::string_view uid, MonoTime moment) const;

 private:
  struct Reading {
    Bytes working_set{0};
    MonoTime at{};
  };
  struct Known {
    std::string uid;
    cluster::NamedContainer container;
    /// The one before is kept because the newest may be of a pod that was killed meanwhile.
    std::optional<Reading> newest;
    std::optional<Reading> before;
  };

  void begin_round(const cluster::PodTable& table);
  void read(const sys::CgroupLayout& layout, Known& one);

  const sys::Root& root_;
  const core::Clock& clock_;
  /// Those of one pod stand together.
  std::vector<Known> known_;
  /// The next of them to be read; all of them once the round is over.
  std::size_t next_ = 0;
  std::optional<MonoTime> next_round_;
  sys::ReadBuffer buffer_{};
};

}  // namespace evictd::daemon
