// SPDX-License-Identifier: Apache-2.0
// What the engine wants done.
#pragma once

#include <array>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
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

// Questions. One is the last effect of its list; its answer is the next event.

/// Read everything that a pass goes by. Answer: ReadingsTaken.
struct Read {
  PassTrigger trigger = PassTrigger::kRegular;
  /// The time of the pass.
  MonoTime at{};
  DiskMeasurement disk;
};
/// Read anew what must not be a moment old where a pod may have to go. Answer: LookedAgain.
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
  bool dry_run = false;
  /// Place in Decision::local_victims; nothing for the victim of a threshold.
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
/// Go on with the eviction that EvictionFound told of. Answer: WentOn.
struct GoOnWith {
  CgroupId pod;
  bool killed = false;
};

/// Have somebody look which pods there are. Answer: ScanAsked; and in its own time PodsScanned.
struct ScanPods {
  std::uint64_t round = 0;
};

// Orders. Nothing is answered, or later and by itself.

/// Forget an eviction that was only pretended.
struct EndPretended {
  Ticket ticket;
  MonoTime at{};
};
/// What was written on a pod's cgroup, to be known after a restart, is true no longer.
struct ClearIntent {
  CgroupId pod;
};
/// A pod was decided on and its eviction not begun.
struct TellRefused {
  CgroupId pod;
  Errc code = Errc::kIo;
  /// An earlier evictd had begun it: it ends here.
  bool adopted = false;
  /// Nothing has begun, and it goes on being tried.
  bool tried_again = false;
  MonoTime at{};
};
/// Measure what pods have on disks. Answered in its own time: PodsMeasured.
struct MeasurePods {
  std::uint64_t round = 0;
};
/// Free node-level resources. Answered in its own time: CollectorsDone.
struct RunCollectors {
  std::uint64_t round = 0;
  eviction::CollectorList collectors;
};
/// Ask a filesystem how full it is, where nobody has; nothing: all of them, and anew.
struct AskFilesystem {
  std::optional<eviction::FilesystemRole> role;
};
/// A pass has ended. Engine tells what it saw and decided, until the next event; another pass may
/// have begun by then.
struct Report {
  PassTrigger trigger = PassTrigger::kRegular;
  MonoTime at{};
  bool resumed = false;
  /// When the kernel side saw what the decision is about; the epoch if it did not.
  MonoTime crossed_at{};
};
/// Make ready to signal whoever memory pressure in `scope` would take first.
struct Rehearse {
  eviction::Scope scope = eviction::Scope::kNode;
};
/// Let go of what was made ready.
struct EndRehearsal {};
/// All is done: send Turn at `until` if nothing happens before.
struct Wait {
  MonoTime until{};
  /// There is more to do: only look whether something else has happened meanwhile.
  bool at_once = false;
};

using Effect = std::variant<Wait, Read, LookAgain, Signal, CutGrace, ReadVictim, GoOnWith,
                            EndPretended, ClearIntent, TellRefused, ScanPods, MeasurePods,
                            RunCollectors, AskFilesystem, Report, Rehearse, EndRehearsal>;

/// What is to be done because of one event, in this order.
class Effects {
 public:
  /// A change of dryRun ends every pretended eviction; a pass adds a dozen others at most.
  static constexpr std::size_t kMost = Victims::kCapacity + 32;

  void add(const Effect& effect) {
    assert(size_ < kMost);
    list_[size_++] = effect;
  }
  [[nodiscard]] const Effect* begin() const { return list_.data(); }
  [[nodiscard]] const Effect* end() const { return list_.data() + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  std::array<Effect, kMost> list_{};
  std::size_t size_ = 0;
};

}  // namespace evictd::engine
