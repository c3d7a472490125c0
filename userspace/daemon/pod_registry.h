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
#include "daemon/hot_pod.h"
#include "daemon/manifest_sources.h"
#include "daemon/placed_pod.h"
#include "daemon/pod_opener.h"
#include "daemon/pod_places.h"
#include "daemon/pods_ahead.h"
#include "daemon/slot_allocator.h"
#include "evictd/result.h"
#include "probe/probe.h"
#include "sys/node_files.h"

namespace evictd::daemon {

/// Joins the cgroup tree with the manifests and turns every difference into a HotPod for the hot
/// thread and a watched row for the kernel side.
/// Thread rule: housekeeping only. Blocks in file system calls.
class PodRegistry {
 public:
  struct Options {
    /// Borrowed.
    const sys::Root* root = nullptr;
    std::shared_ptr<const config::Config> config;
    /// RLIMIT_NOFILE of the process, most of which pods may use.
    std::uint64_t descriptor_limit = 0;
    std::string lock_directory = kLockDirectory;  ///< As in InstanceLock::Options.
  };
  struct Counters {
    /// Pods that found no free slot: shown, but not evictable.
    std::uint64_t without_slot = 0;
    /// Pods whose files or row could not be had although their cgroup is there.
    std::uint64_t open_failures = 0;
    std::uint64_t rescans = 0;
    /// Cgroups whose counters were found anew, because their row lacked them or was wrong.
    std::uint64_t watched_anew = 0;
  };

  /// Finds the tree and the manifests. Nothing is watched yet: call attach(), then rescan(). What
  /// is not there is waited for: see problems().
  /// Errors: no memory controller; kBusy where another evictd watches a directory below which pods
  /// live.
  [[nodiscard]] static Result<std::unique_ptr<PodRegistry>> create(Options options);

  /// Opens now what pods there are, so that the first rescan() finds most of its work done: beside
  /// the loading of the kernel side, from any one thread. What differs by then is opened anew, and
  /// a pod that comes meanwhile is found by the rescan as ever. Call it at most once, and before
  /// attach().
  void look_ahead();
  /// From now on rows are kept by `probe` and it reports changes below the pod root. Call before
  /// rescan(), so that a pod that appears meanwhile is in the scan, in the events, or in both.
  [[nodiscard]] Result<> attach(probe::Probe& probe);

  /// Reads the whole tree and all manifests anew, and opens the directories below which pods live
  /// where they are others than before; the answer is what the hot thread must be told.
  [[nodiscard]] std::vector<PodUpdate> rescan();
  /// Notes what the kernel side said; cheap. apply() does the work for all that was noted.
  void note(const probe::CgroupChanged& event);
  /// Notes what its descriptors() tell of manifests and of directories below which pods live.
  void note_changes();
  /// Notes that the descriptors of a pod were used, so that apply() opens them anew.
  void make_anew(std::string_view uid);
  /// Notes that evictd or pid 1 was found in a pod when it was to be signalled. As where that was
  /// found when it was opened, each rescan() opens it anew: they may have left it.
  void note_own_process(std::string_view uid);
  /// What the rows lack of what the kernel side was told of, because a controller was taken away;
  /// it may be back, with other counters and other files. A pod that has just gone is among them.
  struct LostRows {
    std::size_t pods = 0;
    bool pod_root = false;
  };
  /// Reads the rows anew, and notes what they lack as note_wrong_row() does. Without a kernel side
  /// nothing. Cost: that of probe::Probe::refresh().
  [[nodiscard]] LostRows note_lost_rows();
  /// Notes that the row of a slot, that of the pod root included, does not show its cgroup: apply()
  /// has its counters found anew, and a pod's files opened anew.
  void note_wrong_row(std::uint32_t slot);
  /// Turns what was noted since the last call into updates.
  [[nodiscard]] std::vector<PodUpdate> apply();
  /// Takes another configuration over, which names the same directories of manifests: what they
  /// gave before is kept as between two configurations.
  [[nodiscard]] std::vector<PodUpdate> reload(std::shared_ptr<const config::Config> config);
  /// Ids of all directories below which a pod may be signalled, if they are others than at the last
  /// call, or than at start: for the actuator, before the updates that came with them.
  [[nodiscard]] std::optional<std::vector<CgroupId>> take_changed_roots();
  /// Whether a directory below which pods live was made or removed or is another evictd's, or the
  /// kernel side could not be told of one, so that rescan() is due: not all of that is told.
  [[nodiscard]] bool places_changed() const {
    return roots_unset_ || places_.changed(tree_.look_for_root());
  }
  /// The hot thread has let go of `slot`: it may be given to another pod.
  void retired(std::uint32_t slot);

  /// All pods of the node as last joined, with their slots; for status.
  struct Listed {
    const cluster::PodEntry* entry = nullptr;
    /// nullptr for a pod without a cgroup or without a free slot. Lives until housekeeping
    /// itself destroys it.
    const HotPod* hot = nullptr;
    bool complete = false;  ///< There were descriptors for all that `hot` keeps.
  };
  [[nodiscard]] std::vector<Listed> list() const;
  /// Pods that keep less than they should because there are too few descriptors: their files are
  /// opened when they are to be signalled, or their usage is known from the kernel side alone.
  [[nodiscard]] std::size_t incomplete() const;
  /// What is wrong with manifests and directories of pods now, one line each.
  [[nodiscard]] std::vector<Error> problems() const;
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const cluster::CgroupTree& tree() const { return tree_; }
  [[nodiscard]] const PodPlaces& places() const { return places_; }
  /// The files of the cgroup that holds all pods, empty where there is no such cgroup, and those of
  /// the node, opened for the caller alone. Errors: those of open() of what they answer.
  [[nodiscard]] Result<sys::CgroupFiles> open_pod_root_files() const;
  [[nodiscard]] Result<sys::NodeFiles> open_node_files() const;
  /// The files of a pod's cgroup, likewise; any thread. Errors: the same, and kNotFound for a pod
  /// that has none.
  [[nodiscard]] Result<sys::CgroupFiles> open_files_of(std::string_view uid) const;
  /// Whether the pod root came, went or is another in some hierarchy since the last call or start,
  /// as of the last rescan(): the kernel side is told of it, what else was opened is of no use.
  [[nodiscard]] bool follow_pod_root();
  [[nodiscard]] bool misses_pod_root() const { return needs_pod_root_ && tree_.pod_root().empty(); }
  [[nodiscard]] const cluster::PodTable& table() const { return table_; }  ///< As last joined.
  /// For the housekeeping loop: readable when there is something for note_changes().
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
  /// Pods that are new or others than before, each with its slot.
  [[nodiscard]] std::vector<PodOpener::Wanted> find_wanted();
  /// Opens them, but for what look_ahead() has opened and is still so.
  [[nodiscard]] std::vector<PodsAhead::Ready> open_all(
      const std::vector<PodOpener::Wanted>& wanted);
  void place(const PodOpener::Wanted& one, PodsAhead::Ready ready, std::vector<PodUpdate>& updates);
  /// Notes pods that lack something, of those that lack descriptors as many as there is room for.
  void complete_some();
  /// Errors: those of opening the directory of the cgroup.
  [[nodiscard]] Result<probe::PodCounters> resolve(const cluster::PodCgroup& cgroup) const;
  /// `counters` are of the same cgroup, asked for since attach().
  [[nodiscard]] Result<> watch(std::uint32_t slot, const cluster::PodCgroup& cgroup,
                               const Result<probe::PodCounters>& counters);
  /// watch(), after which `known` has what there is; counts what fails and what is found again.
  [[nodiscard]] bool watch_known(std::uint32_t slot, const cluster::PodCgroup& cgroup,
                                 const Result<probe::PodCounters>& counters, KnownCounters& known);
  [[nodiscard]] Result<> watch_roots();
  void watch_pod_root();

  Options options_;
  /// nullptr without BPF.
  probe::Probe* probe_ = nullptr;
  cluster::CgroupTree tree_;
  /// In the memory hierarchy and in that of pids on v1, as last followed.
  std::pair<CgroupId, CgroupId> followed_root_;
  /// Whether a pod root that is not there is missed: globs alone may be all that there is.
  bool needs_pod_root_ = true;
  PodPlaces places_;
  PodOpener opener_;
  ManifestSources manifests_;
  cluster::PodTable table_;
  SlotAllocator slots_{kPodRootSlot + 1, kMaxPods};
  std::map<std::string, PlacedPod, std::less<>> placed_;
  /// Empty but from look_ahead() to the end of the first rescan().
  PodsAhead ahead_;
  /// Slots emptied here that the hot thread still has.
  std::set<std::uint32_t> retiring_;
  /// uids of pods in which a cgroup appeared or went, which the join alone need not show.
  std::set<std::string, std::less<>> touched_;
  bool changed_ = false;
  bool root_changed_ = false;  ///< A directory below which pods live was made or removed.
  /// As take_changed_roots() has yet to tell.
  bool roots_untold_ = false;
  /// The kernel side reports changes below other directories than those that are open.
  bool roots_unset_ = false;
  KnownCounters known_of_root_;
  Counters counters_;
};

}  // namespace evictd::daemon
