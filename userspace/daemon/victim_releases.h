// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
};
inline constexpr std::size_t kHoldings = 5;

/// "processes", "containers", "volumes", "cgroup", "data".
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
    /// Its writable layers are what is wanted back. They are not known; whoever removes its cgroup
    /// has removed its containers.
    bool awaits_layers = false;
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
  /// Notes the victims below whose directory nothing is mounted.
  void note_mounts(const std::vector<sys::Mount>& mounts, MonoTime now);
  /// Victims of which nothing is left to be awaited, or which were awaited for 30 s; they are
  /// forgotten.
  [[nodiscard]] std::vector<Victim> take_released(MonoTime now);

  /// Whether all that can be known is gone.
  [[nodiscard]] static bool is_released(const Victim& victim);
  [[nodiscard]] static std::vector<exporting::RecordedRelease> rows_of(const Victim& victim);

 private:
  std::vector<Victim> victims_;
};

}  // namespace evictd::daemon
