// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "enforce/bridge.h"
#include "enforce/pod_files.h"
#include "enforce/pod_root.h"
#include "enforce/protection.h"
#include "enforce/target_cgroup.h"
#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"

namespace evictd::enforce {

class OwnCgroups;
struct ProcessList;
struct Intent;
enum class ListScope;
enum class ForkRestore;

/// When the descriptors for signalling are opened.
enum class Preparation {
  kAtOnce,  ///< With the target, so that signalling opens no file.
  kLater,   ///< When the pod is signalled: some 10 us per file on the hot thread, counted.
};

/// A pod that the hot thread can signal: ids and protection of its cgroup and all cgroups below it,
/// in every relevant hierarchy, and kept descriptors for the first signal. A pod with one container
/// keeps five, on v1 and on v2, and one more where memory.high is kept.
/// The main thread creates it when the pod appears, and recreates it when a cgroup below it appears
/// or disappears. It then hands it to the hot thread, its only user. The main thread destroys it
/// only after the hot thread has released it and pinned() is false; at exit after the actuator.
class KillTarget {
 public:
  /// The pod in one hierarchy.
  struct Place {
    /// Borrowed for the call.
    const PodRoot* root = nullptr;
    /// Below the root: "burstable/pod1234". Never empty, absolute or with "..".
    std::string path;
  };
  struct Options {
    std::string uid;
    /// From the pod's manifest and sources; kNone for a pod that may be evicted.
    Protection protection = Protection::kNone;
    /// One per hierarchy: only v2, or v1 memory and v1 pids (plus a v2 tree, if pods have cgroups
    /// there). Hierarchies without such a directory are skipped.
    std::vector<Place> places{};
    /// The pod's own cgroup in the first place. If another one or none is there by now, there is no
    /// target. Without an id any is taken.
    std::optional<CgroupId> id{};
    /// Known directories below the pod. If the link count shows no others, the pod's directory is
    /// not listed.
    std::vector<std::string> children{};
    Preparation preparation = Preparation::kAtOnce;
    /// The pod's memory.usage_in_bytes or memory.current, borrowed for the life of the target; -1
    /// without one.
    int usage_fd = -1;
    /// Whether memory.high of the pod is kept on v2, for a bridge over its grace period.
    bool keep_memory_high = false;
    /// Recent cgroups of evictd and pid 1 in every hierarchy of `places`, borrowed for the call.
    /// Without it, open() lists the pod's processes to find these two.
    const OwnCgroups* own = nullptr;
  };

  /// Reads the pod's cgroups, and with kAtOnce opens the descriptors; without free descriptors
  /// these are left for later. Does not follow symbolic links; the path cannot leave the root.
  /// Errors: kNotFound: no hierarchy has the pod, or not that cgroup. kInvalid: a path is not below
  /// its root. kExhausted: no descriptor is free even for reading. Blocks: never call it on the hot
  /// thread.
  [[nodiscard]] static Result<std::unique_ptr<KillTarget>> open(const Options& options);

  [[nodiscard]] const std::string& uid() const { return uid_; }
  [[nodiscard]] Protection protection() const {
    return protection_.load(std::memory_order_acquire);
  }
  /// Call when the pod's manifest changes. kOwnProcess, once set, stays. Any thread.
  void set_protection(Protection protection);
  /// The pod's own cgroup in the first place.
  [[nodiscard]] CgroupId id() const { return cgroups_.front().id; }
  /// Whether `cgroup` is one of the pod's, in any hierarchy.
  [[nodiscard]] bool holds(CgroupId cgroup) const;
  /// Opens the directory of that cgroup; as TargetCgroup::open_directory().
  [[nodiscard]] base::Fd open_directory() const { return cgroups_.front().open_directory(); }
  /// Bytes charged to the pod now, from the borrowed descriptor; nullopt once it is removed or
  /// without a memory controller. Cost: one pread.
  [[nodiscard]] std::optional<Bytes> usage() const;

  /// The borrowed descriptor itself, -1 without one.
  [[nodiscard]] int usage_descriptor() const { return usage_fd_; }

  /// The pod's pids.max; the previous value while pids.max has the value that this evictd wrote. If
  /// the value is 0 (an evictd may have written it) or unreadable: the value at open(). Empty if
  /// neither is known. Cost: one pread.
  [[nodiscard]] PidsMax pids_max_now() const;

  /// Whether all descriptors for the first signal are open.
  [[nodiscard]] bool prepared() const { return prepared_; }
  /// Whether it is prepared() and no reading has used up a descriptor.
  [[nodiscard]] bool unused() const;
  /// Whether the cgroup.procs of its cgroups are kept open. False for a pod with very many cgroups:
  /// these are opened one by one for reading, so that descriptors are left for signalling.
  [[nodiscard]] bool keeps_procs() const { return keeps_procs_; }
  /// Limits the pod's tasks to their current number, never above the current pids.max. Admits forks
  /// between the reading and the write. False on failure. Opens a file.
  [[nodiscard]] bool hold_tasks();
  /// Opens memory.high of the pod; empty without one. As TargetCgroup::open_directory().
  [[nodiscard]] base::Fd open_memory_high() const;

  /// Whether an eviction in progress uses the target.
  [[nodiscard]] bool pinned() const { return pins_.load(std::memory_order_acquire) != 0; }

 private:
  friend class CgroupActuator;
  friend class DryRunActuator;
  friend class ProcessLister;
  friend class PinnedTarget;
  friend class TargetOpener;
  friend bool list_again(const KillTarget& target, ProcessList& list,
                         const std::function<bool()>& enough);
  friend ForkRestore restore_pids_max(const KillTarget& target, const Intent& intent);
  friend ForkRestore restore_forks(KillTarget& target, const Intent& intent);
  KillTarget() = default;

  /// Opens the descriptors for the first signal. False if some could not be opened: then it keeps
  /// no cgroup.procs, and those of the pod's own files that it could open. Allocates nothing.
  [[nodiscard]] bool prepare();
  /// Opens the descriptors of `cgroup`, whose directory is `dir`.
  [[nodiscard]] bool keep(TargetCgroup& cgroup, int dir);
  [[nodiscard]] static bool keep_procs(TargetCgroup& cgroup, int dir);
  [[nodiscard]] bool keep_files(HierarchyKind kind, int dir);
  [[nodiscard]] bool keep_pids_max(int dir);
  /// Without it a pod is signalled all the same, so its lack is no failure.
  void keep_memory_high(int dir);
  /// Reads pids.max for a target that keeps no descriptors.
  void look_at_pids_max(int dir);
  void close_kept_procs();
  void keep_nothing();
  /// Opens pids.current of the pod.
  [[nodiscard]] base::Fd open_tasks() const;
  /// Whether `cgroup` is the pod's own cgroup in its hierarchy.
  [[nodiscard]] bool is_pod(const TargetCgroup& cgroup) const;
  /// Whether the pod may have processes that its v2 cgroup, if any, does not list.
  [[nodiscard]] bool on_v1() const;
  [[nodiscard]] bool in_scope(const TargetCgroup& cgroup, ListScope scope) const;
  /// Remembers that evictd wrote the current pids.max, and that it was `before` until then.
  void remember_hold(const PidsMax& before);
  /// Restores pids.max from before the hold, if it still has evictd's value. False if the write
  /// failed although the cgroup exists.
  [[nodiscard]] bool give_forks_back();

  std::string uid_;
  std::atomic<Protection> protection_{Protection::kNone};
  /// Parents before children; the first of each hierarchy is the pod's own.
  std::vector<TargetCgroup> cgroups_;
  /// For each hierarchy the ids of the root and of every directory from it down to the pod.
  std::vector<std::vector<CgroupId>> chains_;
  /// Files of the pod's own cgroup; empty before prepare() and if the kernel or hierarchy lacks the
  /// file. `freeze_` only without cgroup.kill.
  base::Fd kill_;
  base::Fd freeze_;
  base::Fd events_;
  base::Fd pids_max_;
  /// pids.max when it was opened.
  PidsMax pids_max_before_;
  /// evictd's change of it since.
  ForkHold forks_;
  /// memory.high, if it is kept, and evictd's change of it.
  Bridge bridge_;
  int usage_fd_ = -1;
  bool keeps_memory_high_ = false;
  bool prepared_ = false;
  bool keeps_procs_ = true;
  std::atomic<std::uint32_t> pins_{0};
};

}  // namespace evictd::enforce
