// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"
#include "evictd/time.h"
#include "export/eviction_record.h"
#include "sys/mount_table.h"

namespace evictd::daemon {

/// Resources of a pod that must be gone before it counts as released.
enum class Holding : std::uint8_t {
  kProcesses,   ///< Live processes.
  kContainers,  ///< Containers in the runtime's list: only the runtime knows them.
  kVolumes,     ///< Mounts below its directory.
  kCgroup,      ///< Its own cgroup.
  kData,        ///< Contents of its emptyDir volumes; awaited only if evictd removes them.
  kMemory,      ///< Memory charged to its cgroup although it has no process.
};
inline constexpr std::size_t kHoldings = 6;

/// "processes", "containers", "volumes", "cgroup", "data", "memory".
[[nodiscard]] std::string_view to_string(Holding holding);

/// The victims whose resources are awaited, and which of each are gone. Pure: callers supply all
/// facts. Thread rule: housekeeping.
class VictimReleases {
 public:
  struct Victim {
    CgroupId pod;
    std::string uid;
    /// The kubelet's directory of the pod.
    std::string directory;
    /// Start of the 30 s for which it is awaited: its end, or while its grace period runs, the end
    /// of that.
    MonoTime killed_at{};
    bool removes_data = false;
    /// Removes only its data on tmpfs: the eviction is for memory.
    bool empties_memory = false;
    /// The eviction is for its writable layers. They are not known, but whoever removes its cgroup
    /// has removed its containers.
    bool awaits_layers = false;
    /// Bytes charged to its cgroup at the last read, minus inactive page cache; unset before its
    /// processes are gone.
    std::optional<Bytes> charged;
    /// When each resource was found gone.
    std::array<std::optional<MonoTime>, kHoldings> gone_at;
    /// Why the data could not be removed; its volumes and its cgroup are then awaited.
    std::string data_error;
  };

  void begin(Victim victim);
  [[nodiscard]] bool empty() const { return victims_.empty(); }
  [[nodiscard]] std::vector<Victim>& victims() { return victims_; }
  [[nodiscard]] Victim* find(CgroupId pod);
  [[nodiscard]] Victim* find(std::string_view uid);
  /// Sets the bytes still charged to the cgroup of a victim without a process; up to
  /// least_left_behind() counts as zero.
  static void set_charged(Victim& victim, Bytes charged, MonoTime now);
  /// Updates the victims that have no mounts below their directory.
  void update_mounts(const std::vector<sys::Mount>& mounts, MonoTime now);
  /// Returns and forgets the victims that have nothing left to await, or were awaited for 30 s.
  [[nodiscard]] std::vector<Victim> take_released(MonoTime now);

  /// Bytes still charged to a victim that was awaited for long enough; nullopt for others.
  [[nodiscard]] static std::optional<Bytes> kept_memory(const Victim& victim, MonoTime now);
  /// Whether every resource that can be known is gone.
  [[nodiscard]] static bool is_released(const Victim& victim);
  [[nodiscard]] static std::vector<exporting::RecordedRelease> rows_of(const Victim& victim);

 private:
  std::vector<Victim> victims_;
};

}  // namespace evictd::daemon
