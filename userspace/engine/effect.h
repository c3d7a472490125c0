// SPDX-License-Identifier: Apache-2.0
// Effects: what the engine wants its caller to do.
#pragma once

#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <variant>

#include "engine/disk_work.h"
#include "engine/pass_trigger.h"
#include "engine/victims.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"
#include "evictd/ticket.h"
#include "evictd/time.h"
#include "eviction/filesystem_role.h"
#include "eviction/pass.h"
#include "eviction/reclaim.h"

namespace evictd::engine {

// Questions. A question is the last effect of its list; its answer is the next event.

/// Read all input of a pass. Answer: ReadingsTaken.
struct Read {
  PassTrigger trigger = PassTrigger::kRegular;
  /// The time of the pass.
  MonoTime at{};
  DiskMeasurement disk;
};
/// Refresh the readings that must be current before a pod is evicted. Answer: LookedAgain.
struct LookAgain {
  MonoTime at{};
};
/// Begin the eviction of a pod. Answer: Signalled.
struct Signal {
  /// Place in ReadingsTaken::pods.
  std::size_t pod = 0;
  MonoTime at{};
  std::chrono::milliseconds grace{0};
  MonoTime kill_due_at{};
  bool hard = true;
  bool for_disk = false;
  bool hold_tasks = false;
  /// Throttle its growth in its grace period.
  bool bridge = false;
  bool dry_run = false;
  /// The kernel side has sent SIGKILL to the pod; the rest of the eviction follows.
  bool begun_by_kernel = false;
  /// Place in Decision::local_victims; unset for the victim of a threshold.
  std::optional<std::size_t> local;
};
/// Shorten the grace of a victim. Answer: Signalled.
struct CutGrace {
  /// Place in ReadingsTaken::pods.
  std::size_t pod = 0;
  Ticket ticket;
  MonoTime at{};
  MonoTime kill_due_at{};
  bool for_disk = false;
  bool hold_tasks = false;
};
/// Read one pod. Answer: VictimRead.
struct ReadVictim {
  CgroupId pod;
  MonoTime at{};
};
/// Continue the eviction that EvictionFound reported. Answer: WentOn.
struct GoOnWith {
  CgroupId pod;
  bool killed = false;
};

/// Take the plan back from the kernel side, or learn that it was carried out. Answer:
/// BackstopTaken.
struct DisarmBackstop {};

/// Request a scan for pods. Answer: ScanAsked; PodsScanned follows when the scan is done.
struct ScanPods {
  std::uint64_t round = 0;
};

// Orders. They have no answer, or a later event of their own.

/// Forget an eviction of a dry run.
struct EndPretended {
  Ticket ticket;
  MonoTime at{};
};
/// Remove the intent on a pod's cgroup, which would survive a restart: it is no longer true.
struct ClearIntent {
  CgroupId pod;
};
/// Report that a pod was chosen but its eviction did not begin.
struct TellRefused {
  CgroupId pod;
  Errc code = Errc::kIo;
  /// An earlier evictd had begun the eviction; it ends here.
  bool adopted = false;
  /// Nothing has begun, and evictd keeps trying.
  bool tried_again = false;
  MonoTime at{};
};
/// Measure the disk usage of pods. PodsMeasured follows.
struct MeasurePods {
  std::uint64_t round = 0;
};
/// Free node-level resources. CollectorsDone follows.
struct RunCollectors {
  std::uint64_t round = 0;
  eviction::CollectorList collectors;
};
/// Request a reading of a filesystem unless one is pending. Unset `role`: request new readings of
/// all filesystems.
struct AskFilesystem {
  std::optional<eviction::FilesystemRole> role;
};
/// A pass has ended. The Engine's accessors describe it until the next event; another pass may have
/// begun by then.
struct Report {
  PassTrigger trigger = PassTrigger::kRegular;
  MonoTime at{};
  bool resumed = false;
  /// When the kernel side saw the crossing behind the decision; the epoch if it did not.
  MonoTime crossed_at{};
};
/// Prepare to signal the pod that memory pressure in `scope` would evict first.
struct Rehearse {
  eviction::Scope scope = eviction::Scope::kNode;
};
/// Release what Rehearse prepared.
struct EndRehearsal {};
/// Give the kernel side Engine::backstop(), unless the actuator would refuse its victim. Its places
/// of pods are those of the last ReadingsTaken.
struct ArmBackstop {};
/// The turn is done: send Turn at `until` unless an event comes earlier.
struct Wait {
  MonoTime until{};
  /// There is more to do: only check for other events, without waiting.
  bool at_once = false;
};

using Effect =
    std::variant<Wait, Read, LookAgain, Signal, CutGrace, ReadVictim, GoOnWith, EndPretended,
                 ClearIntent, TellRefused, ScanPods, MeasurePods, RunCollectors, AskFilesystem,
                 Report, Rehearse, EndRehearsal, ArmBackstop, DisarmBackstop>;

/// The effects of one event, in the order to carry them out. Cost: only that of the effects that it
/// has; their places are raw memory until then.
class Effects {
 public:
  /// A change of dryRun ends every dry-run eviction; a pass adds at most a dozen effects.
  static constexpr std::size_t kMost = Victims::kCapacity + 32;

  void add(const Effect& effect) {
    assert(size_ < kMost);
    ::new (static_cast<void*>(places_ + size_ * sizeof(Effect))) Effect(effect);
    ++size_;
  }
  [[nodiscard]] const Effect* begin() const {
    return std::launder(reinterpret_cast<const Effect*>(places_));
  }
  [[nodiscard]] const Effect* end() const { return begin() + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  /// So that a copy of the bytes is a copy, and nothing is left to destroy.
  static_assert(std::is_trivially_copyable_v<Effect> && std::is_trivially_destructible_v<Effect>);

  alignas(Effect) std::byte places_[kMost * sizeof(Effect)];
  std::size_t size_ = 0;
};

}  // namespace evictd::engine
