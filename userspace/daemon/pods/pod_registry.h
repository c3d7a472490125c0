// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/cgroup_tree.h"
#include "cluster/pod_table.h"
#include "config/config.h"
#include "daemon/hot/hot_pod.h"
#include "daemon/pods/manifest_sources.h"
#include "daemon/pods/placed_pod.h"
#include "daemon/pods/pod_opener.h"
#include "daemon/pods/pod_places.h"
#include "daemon/pods/pods_ahead.h"
#include "daemon/pods/slot_allocator.h"
#include "evictd/result.h"
#include "probe/probe.h"
#include "sys/node_files.h"

namespace evictd::daemon {

/// Joins the cgroup tree with the manifests, and turns every difference into a HotPod for the hot
/// thread and a watched row for the kernel side. Thread rule: housekeeping only. Blocks in file
/// system calls.
class PodRegistry {
 public:
  struct Options {
    /// Borrowed.
    const sys::Root* root = nullptr;
    std::shared_ptr<const config::Config> config;
    /// RLIMIT_NOFILE of the process; pods may use most of it.
    std::uint64_t descriptor_limit = 0;
    std::string lock_directory = kLockDirectory;  ///< As in InstanceLock::Options.
  };
  struct Counters {
    /// Pods without a free slot: displayed, but not evictable.
    std::uint64_t without_slot = 0;
    /// Pods whose files or row could not be opened although their cgroup exists.
    std::uint64_t open_failures = 0;
    std::uint64_t rescans = 0;
    /// Cgroups whose counters were found again, because their row lacked them or was wrong.
    std::uint64_t watched_anew = 0;
  };

  /// Finds the tree and the manifests. Watches nothing yet: call attach(), then rescan(). evictd
  /// waits for what is missing: see problems(). Errors: no memory controller; kBusy if another
  /// evictd watches a directory below which pods live.
  [[nodiscard]] static Result<std::unique_ptr<PodRegistry>> create(Options options);

  /// Opens the current pods early, so that the first rescan() has little left to do: beside the
  /// loading of the kernel side, from any one thread. The rescan reopens what differs by then and
  /// finds pods that appeared meanwhile. Call it at most once, and before attach().
  void open_pods_early();
  /// From now on `probe` maintains rows and reports changes below the pod root. Call it before
  /// rescan(), so that a pod that appears meanwhile is in the scan, in the events, or in both.
  [[nodiscard]] Result<> attach(probe::Probe& probe);

  /// Reads the whole tree and all manifests, and opens the directories below which pods live if
  /// they changed. Returns the updates for the hot thread.
  [[nodiscard]] std::vector<PodUpdate> rescan();
  /// Queues an event of the kernel side; cheap. apply() handles all queued events.
  void queue(const probe::CgroupChanged& event);
  /// Queues what changed of manifests and of directories below which pods live, reported or not.
  void queue_changes();
  /// Queues what descriptors() report of them.
  void queue_reports();
  /// Queues a pod whose descriptors were used: apply() opens them again.
  void queue_reopening(std::string_view uid);
  /// Queues a pod in which evictd or pid 1 was found when it was to be signalled. Each rescan()
  /// opens such a pod again, because they may have left it.
  void mark_own_process(std::string_view uid);
  /// What rows lost because a controller was removed. The controller may be back, with other
  /// counters and files. A pod that has just been removed is included.
  struct LostRows {
    std::size_t pods = 0;
    bool pod_root = false;
  };
  /// Reads the rows and queues the lost ones as queue_wrong_row() does. Does nothing without a
  /// kernel side. Cost: that of probe::Probe::refresh().
  [[nodiscard]] LostRows queue_lost_rows();
  /// Queues a slot, also the pod root's, whose row does not match its cgroup: apply() finds its
  /// counters again and opens a pod's files again.
  void queue_wrong_row(std::uint32_t slot);
  /// Turns everything queued since the last call into updates.
  [[nodiscard]] std::vector<PodUpdate> apply();
  /// Takes a new configuration with the same directories of manifests: their last pods are kept, as
  /// within one configuration.
  [[nodiscard]] std::vector<PodUpdate> reload(std::shared_ptr<const config::Config> config);
  /// Returns the ids of all directories below which a pod may be signalled, if they changed since
  /// the last call or start. The actuator needs them before the updates of the same change.
  [[nodiscard]] std::optional<std::vector<CgroupId>> take_changed_roots();
  /// Whether rescan() is due, because a directory below which pods live was created, removed or
  /// taken by another evictd, or could not be given to the kernel side. Events do not report all of
  /// these.
  [[nodiscard]] bool places_changed() const {
    return roots_unset_ || places_.changed(tree_.look_for_root());
  }
  /// The hot thread has released `slot`: another pod may use it.
  void retired(std::uint32_t slot);

  /// All pods of the node as last joined, with their slots; for status.
  struct Listed {
    const cluster::PodEntry* entry = nullptr;
    /// nullptr for a pod without a cgroup or a free slot. Valid until housekeeping destroys it.
    const HotPod* hot = nullptr;
    bool complete = false;  ///< There were descriptors for all that `hot` keeps.
  };
  [[nodiscard]] std::vector<Listed> list() const;
  /// Number of pods with fewer kept files than they should have, for lack of descriptors. Their
  /// files are opened when they are signalled, or only the kernel side has their usage.
  [[nodiscard]] std::size_t incomplete() const;
  /// Current problems of manifests and directories of pods, one line each.
  [[nodiscard]] std::vector<Error> problems() const;
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const cluster::CgroupTree& tree() const { return tree_; }
  [[nodiscard]] const PodPlaces& places() const { return places_; }
  /// Opens, for the caller alone, the files of the pod root, empty without a pod root, and those of
  /// the node. Errors: those of open() of the returned type.
  [[nodiscard]] Result<sys::CgroupFiles> open_pod_root_files() const;
  [[nodiscard]] Result<sys::NodeFiles> open_node_files() const;
  /// The same for the files of a pod's cgroup; any thread. Errors: the same, and kNotFound for a
  /// pod without a cgroup.
  [[nodiscard]] Result<sys::CgroupFiles> open_files_of(std::string_view uid) const;
  /// Whether the pod root came, went or changed in a hierarchy since the last call or start, as of
  /// the last rescan(). The kernel side is told of it; other opened files of it are useless.
  [[nodiscard]] bool follow_pod_root();
  [[nodiscard]] bool misses_pod_root() const { return needs_pod_root_ && tree_.pod_root().empty(); }
  [[nodiscard]] const cluster::PodTable& table() const { return table_; }  ///< As last joined.
  /// For the housekeeping loop: readable when queue_reports() has something to read.
  [[nodiscard]] std::vector<int> descriptors() const;

 private:
  PodRegistry(Options options, cluster::CgroupTree tree);
  [[nodiscard]] Result<> open_places();
  [[nodiscard]] std::pair<CgroupId, CgroupId> root_ids() const;
  void follow_places();
  void join();
  [[nodiscard]] std::vector<PodUpdate> differences();
  [[nodiscard]] PodStanding standing_of(const cluster::PodEntry& entry) const;
  /// Empties the slots of pods that are gone or have another cgroup.
  void empty_slots(std::vector<PodUpdate>& updates);
  /// New and changed pods, each with its slot.
  [[nodiscard]] std::vector<PodOpener::Wanted> find_wanted();
  /// Opens them; reuses what open_pods_early() opened and is unchanged.
  [[nodiscard]] std::vector<PodsAhead::Ready> open_all(
      const std::vector<PodOpener::Wanted>& wanted);
  void place(const PodOpener::Wanted& one, PodsAhead::Ready ready, std::vector<PodUpdate>& updates);
  /// Queues incomplete pods; of those that lack descriptors, as many as there is room for.
  void complete_some();
  /// Errors: those of opening the directory of the cgroup.
  [[nodiscard]] Result<probe::PodCounters> resolve(const cluster::PodCgroup& cgroup) const;
  /// `counters` are of the same cgroup and were read after attach().
  [[nodiscard]] Result<> watch(std::uint32_t slot, const cluster::PodCgroup& cgroup,
                               const Result<probe::PodCounters>& counters);
  /// Calls watch() and updates `known`; counts failures and counters found again.
  [[nodiscard]] bool watch_known(std::uint32_t slot, const cluster::PodCgroup& cgroup,
                                 const Result<probe::PodCounters>& counters, KnownCounters& known);
  [[nodiscard]] Result<> watch_roots();
  void watch_pod_root();

  Options options_;
  /// nullptr without BPF.
  probe::Probe* probe_ = nullptr;
  cluster::CgroupTree tree_;
  /// In the memory hierarchy and in the v1 pids hierarchy, as last followed.
  std::pair<CgroupId, CgroupId> followed_root_;
  /// Whether a missing pod root is a problem; not if there are only globs.
  bool needs_pod_root_ = true;
  PodPlaces places_;
  PodOpener opener_;
  ManifestSources manifests_;
  cluster::PodTable table_;
  SlotAllocator slots_{kPodRootSlot + 1, kMaxPods};
  std::map<std::string, PlacedPod, std::less<>> placed_;
  /// Used only from open_pods_early() to the end of the first rescan().
  PodsAhead ahead_;
  /// Slots emptied here that the hot thread still uses.
  std::set<std::uint32_t> retiring_;
  /// uids of pods in which a cgroup appeared or went; the join alone may not show that.
  std::set<std::string, std::less<>> touched_;
  bool changed_ = false;
  bool root_changed_ = false;  ///< A directory below which pods live was created or removed.
  /// take_changed_roots() has something to return.
  bool roots_untold_ = false;
  /// The kernel side reports changes below other directories than the open ones.
  bool roots_unset_ = false;
  KnownCounters known_of_root_;
  Counters counters_;
};

}  // namespace evictd::daemon
