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

/// What a pod holds that must be gone before its resources count as released.
enum class Holding : std::uint8_t {
  kProcesses,   ///< Live processes.
  kContainers,  ///< Containers in the runtime's list: not known without asking it.
  kVolumes,     ///< Mounts below its directory.
  kCgroup,      ///< Its own cgroup.
  kData,        ///< What is in its emptyDir volumes; awaited only where evictd removes it.
  kMemory,      ///< What its cgroup is charged with though no process of it lives.
};
inline constexpr std::size_t kHoldings = 6;

/// "processes", "containers", "volumes", "cgroup", "data", "memory".
[[nodiscard]] std::string_view to_string(Holding holding);

/// The victims whose resources are awaited, and what of each is gone. Pure: it is told.
/// Thread rule: housekeeping.
class VictimReleases {
 public:
  struct Victim {
    CgroupId pod;
    std::string uid;
    /// Where the kubelet keeps what belongs to it.
    std::string directory;
    /// From here on it is awaited for 30 s: its end, or while its grace runs when that is due.
    MonoTime killed_at{};
    bool removes_data = false;
    /// Of what it has on tmpfs alone: its memory is wanted back.
    bool empties_memory = false;
    /// Its writable layers are what is wanted back. They are not known; whoever removes its cgroup
    /// has removed its containers.
    bool awaits_layers = false;
    /// What its cgroup was charged with, beside inactive page cache, when it was last looked at;
    /// unset before its processes are gone.
    std::optional<Bytes> charged;
    /// When each was found gone.
    std::array<std::optional<MonoTime>, kHoldings> gone_at;
    /// Why the data could not be removed; then its volumes and its cgroup are awaited.
    std::string data_error;
  };

  void begin(Victim victim);
  [[nodiscard]] bool empty() const { return victims_.empty(); }
  [[nodiscard]] std::vector<Victim>& victims() { return victims_; }
  [[nodiscard]] Victim* find(CgroupId pod);
  [[nodiscard]] Victim* find(std::string_view uid);
  /// What is still charged to the cgroup of a victim without a process; no more than
  /// least_left_behind() is nothing.
  static void note_charged(Victim& victim, Bytes charged, MonoTime now);
  /// Notes the victims below whose directory nothing is mounted.
  void note_mounts(const std::vector<sys::Mount>& mounts, MonoTime now);
  /// Victims of which nothing is left to be awaited, or which were awaited for 30 s; they are
  /// forgotten.
  [[nodiscard]] std::vector<Victim> take_released(MonoTime now);

  /// What a victim that was awaited for long enough is still charged with; nothing for others.
  [[nodiscard]] static std::optional<Bytes> kept_memory(const Victim& victim, MonoTime now);
  /// Whether all that can be known is gone.
  [[nodiscard]] static bool is_released(const Victim& victim);
  [[nodiscard]] static std::vector<exporting::RecordedRelease> rows_of(const Victim& victim);

 private:
  std::vector<Victim> victims_;
};

}  // namespace evictd::daemon
