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
#include <vector>

#include "cluster/cgroup_tree.h"
#include "cluster/pod_table.h"
#include "config/config.h"
#include "daemon/hot_pod.h"
#include "daemon/manifest_sources.h"
#include "daemon/pod_opener.h"
#include "daemon/pod_places.h"
#include "daemon/slot_allocator.h"
#include "evictd/result.h"
#include "probe/probe.h"

namespace evictd::daemon {

/// A change in the hot thread's pods, to be sent to it in order.
struct PodUpdate {
  std::uint32_t slot = 0;
  /// The pod that has the slot from now on; nullptr when the slot is empty from now on.
  std::unique_ptr<HotPod> pod;
};

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
  };
  struct Counters {
    /// Pods that found no free slot: shown, but not evictable.
    std::uint64_t without_slot = 0;
    /// Pods whose files or row could not be had although their cgroup is there.
    std::uint64_t open_failures = 0;
    std::uint64_t rescans = 0;
  };

  /// Finds the tree and the manifests. Nothing is watched yet: call attach(), then rescan().
  /// Errors: no memory controller, no pod root, a manifest directory that cannot be opened.
  [[nodiscard]] static Result<std::unique_ptr<PodRegistry>> create(Options options);

  /// From now on rows are kept by `probe` and it reports changes below the pod root. Call before
  /// rescan(), so that a pod that appears meanwhile is in the scan, in the events, or in both.
  [[nodiscard]] Result<> attach(probe::Probe& probe);

  /// Reads the whole tree and all manifests anew, and opens the directories below which pods live
  /// where they are others than before; the answer is what the hot thread must be told.
  [[nodiscard]] std::vector<PodUpdate> rescan();
  /// Notes what the kernel side said; cheap. apply() does the work for all that was noted.
  void note(const probe::CgroupChanged& event);
  /// Notes that a manifest directory is readable.
  void note_manifests();
  /// Notes that the descriptors of a pod were used, so that apply() opens them anew.
  void make_anew(std::string_view uid);
  /// Turns what was noted since the last call into updates.
  [[nodiscard]] std::vector<PodUpdate> apply();
  /// Takes another configuration over, which names the same directories of manifests: what they
  /// gave before is kept as between two configurations.
  [[nodiscard]] std::vector<PodUpdate> reload(std::shared_ptr<const config::Config> config);
  /// Ids of all directories below which a pod may be signalled, if they are others than at the last
  /// call, or than at start: for the actuator, before the updates that came with them.
  [[nodiscard]] std::optional<std::vector<CgroupId>> take_changed_roots();
  /// Whether a directory below which pods live was made or removed, or the kernel side could not be
  /// told of one, so that rescan() is due: nothing else tells of what is made there.
  [[nodiscard]] bool places_changed() const { return roots_unset_ || places_.changed(); }
  /// The hot thread has let go of `slot`: it may be given to another pod.
  void retired(std::uint32_t slot);

  /// All pods of the node as last joined, with their slots; for status.
  struct Listed {
    const cluster::PodEntry* entry = nullptr;
    /// nullptr for a pod without a cgroup or without a free slot. Lives until housekeeping
    /// itself destroys it.
    const HotPod* hot = nullptr;
  };
  [[nodiscard]] std::vector<Listed> list() const;
  /// Pods that keep less than they should because there are too few descriptors: their files are
  /// opened when they are to be signalled, or their usage is known from the kernel side alone.
  [[nodiscard]] std::size_t incomplete() const;
  /// What is wrong with manifests now, one line each.
  [[nodiscard]] std::vector<Error> problems() const;
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const cluster::CgroupTree& tree() const { return tree_; }
  [[nodiscard]] const PodPlaces& places() const { return places_; }
  /// The files of the cgroup that holds all pods, opened for the caller alone; empty where there is
  /// no such cgroup. Errors: those of sys::CgroupFiles::open().
  [[nodiscard]] Result<sys::CgroupFiles> open_pod_root_files() const;
  /// Whether the cgroup that holds all pods is, in some hierarchy, another than at start or was not
  /// there then. What was opened and watched at start is of no more use. As of the last rescan().
  [[nodiscard]] bool pod_root_was_replaced() const;
  /// As last joined.
  [[nodiscard]] const cluster::PodTable& table() const { return table_; }
  /// Descriptors of the manifest directories, for the housekeeping loop.
  [[nodiscard]] std::vector<int> manifest_fds() const { return manifests_.fds(); }

 private:
  /// What the hot thread has in a slot, to tell a change.
  struct Placed {
    std::uint32_t slot = 0;
    const HotPod* hot = nullptr;
    bool complete = true;
    /// Whether the kernel side has it, where there is one; tried again at each scan.
    bool watched = true;
    /// Whether it can be signalled; tried again at each scan.
    bool has_target = true;
    CgroupId memory_id;
    /// Unset as long as the pids hierarchy of v1 has no directory for it.
    CgroupId pids_id;
    cluster::PodState state = cluster::PodState::kUnknown;
    std::vector<cluster::ContainerCgroup> containers;
    /// manifest_origin and the manifest's position do not tell a changed text; the facts do.
    PodStanding standing;
  };

  PodRegistry(Options options, cluster::CgroupTree tree);
  [[nodiscard]] Result<> open_places();
  void follow_places();
  void join();
  [[nodiscard]] std::vector<PodUpdate> differences();
  void place(const cluster::PodEntry& entry, std::vector<PodUpdate>& updates);
  /// Notes pods that lack something, of those that lack descriptors as many as there is room for.
  void complete_some();
  [[nodiscard]] Result<> watch(std::uint32_t slot, const cluster::PodCgroup& cgroup);
  [[nodiscard]] Result<> watch_roots();
  void watch_pod_root();

  Options options_;
  /// nullptr without BPF.
  probe::Probe* probe_ = nullptr;
  cluster::CgroupTree tree_;
  /// As found at start, in the memory hierarchy and in that of pids on v1.
  CgroupId first_pod_root_;
  CgroupId first_pids_root_;
  PodPlaces places_;
  PodOpener opener_;
  ManifestSources manifests_;
  cluster::PodTable table_;
  SlotAllocator slots_{kPodRootSlot + 1, kMaxPods};
  std::map<std::string, Placed, std::less<>> placed_;
  /// Slots emptied here that the hot thread still has.
  std::set<std::uint32_t> retiring_;
  /// uids of pods in which a cgroup appeared or went, which the join alone need not show.
  std::set<std::string, std::less<>> touched_;
  bool changed_ = false;
  /// A directory below which pods live was made or removed.
  bool root_changed_ = false;
  /// As take_changed_roots() has yet to tell.
  bool roots_untold_ = false;
  /// The kernel side reports changes below other directories than those that are open.
  bool roots_unset_ = false;
  Counters counters_;
};

}  // namespace evictd::daemon
