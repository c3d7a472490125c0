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

/// When the descriptors that signalling needs are opened.
enum class Preparation {
  kAtOnce,  ///< With the target, so that the way to the signal opens nothing.
  kLater,   ///< When the pod is to be signalled: some 10 us a file on the hot thread, counted.
};

/// A pod as the hot thread can signal it: ids and protection of its cgroup and of all below it, in
/// every hierarchy that matters, and kept descriptors for the first signal. A pod with one
/// container keeps five on v1 and on v2. Made by housekeeping when the pod appears, and made
/// anew when a cgroup below it appears or goes; then handed to the hot thread, which alone uses it.
/// Housekeeping destroys it only once the hot thread has let it go and pinned() is false, and at
/// the end after the actuator.
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
    /// What the pod's manifest and sources say; kNone for a pod that may be evicted.
    Protection protection = Protection::kNone;
    /// One a hierarchy: v2 alone, or v1 memory and v1 pids (and a v2 tree beside them, if pods have
    /// cgroups there). A hierarchy that has no such directory is left out.
    std::vector<Place> places{};
    /// Names of the directories that the pod has in it, as far as is known: where its link count
    /// says that there are no others, it is not read.
    std::vector<std::string> children{};
    Preparation preparation = Preparation::kAtOnce;
    /// The pod's memory.usage_in_bytes or memory.current, borrowed for the life of the target; -1
    /// without one.
    int usage_fd = -1;
    /// Where evictd and pid 1 were a moment ago, in every hierarchy of `places`, borrowed for the
    /// call; without it the processes of the pod are listed to see whether one of them is there.
    const OwnCgroups* own = nullptr;
  };

  /// Looks at everything, and opens what is wanted at once. Symbolic links are not followed and the
  /// path cannot leave the root. Out of descriptors for the latter, it is left for later.
  /// Errors: kNotFound when no hierarchy has the pod; kInvalid for a path that is not below its
  /// root; kExhausted when there is no descriptor even to look. Blocks: never on the hot thread.
  [[nodiscard]] static Result<std::unique_ptr<KillTarget>> open(const Options& options);

  [[nodiscard]] const std::string& uid() const { return uid_; }
  [[nodiscard]] Protection protection() const {
    return protection_.load(std::memory_order_acquire);
  }
  /// When the pod's manifest says something new. kOwnProcess, once seen, stays. Any thread.
  void set_protection(Protection protection);
  /// The pod's own cgroup in the first place.
  [[nodiscard]] CgroupId id() const { return cgroups_.front().id; }
  /// Whether `cgroup` is one of the pod's, in any hierarchy.
  [[nodiscard]] bool holds(CgroupId cgroup) const;
  /// Of that cgroup, opened anew; as TargetCgroup::open_directory().
  [[nodiscard]] base::Fd open_directory() const { return cgroups_.front().open_directory(); }
  /// Bytes charged to the pod now, from the borrowed descriptor; nothing once it is removed or
  /// without a memory controller. Cost: one pread.
  [[nodiscard]] std::optional<Bytes> usage() const;

  /// The borrowed descriptor itself, -1 without one.
  [[nodiscard]] int usage_descriptor() const { return usage_fd_; }

  /// What the pod's pids.max says or, while it says what this evictd has written, said before.
  /// Where that is 0, which an evictd may have written, or cannot be read: what it said when it was
  /// opened. Empty where neither is known. Cost: one pread.
  [[nodiscard]] PidsMax pids_max_now() const;

  /// Whether nothing is left to be opened before the first signal.
  [[nodiscard]] bool prepared() const { return prepared_; }
  /// Whether it is, and none of it was used up by a reading.
  [[nodiscard]] bool unused() const;
  /// Whether cgroup.procs of its cgroups are kept: not of a pod with very many, which are opened
  /// one by one as they are read, so that descriptors are left to signal it through.
  [[nodiscard]] bool keeps_procs() const { return keeps_procs_; }
  /// Bounds the pod's tasks to those that it has, never above what pids.max says now. Forks between
  /// the look and the write are let in. False when that cannot be done. Opens a file.
  [[nodiscard]] bool hold_tasks();

  /// An eviction that is under way pins its target.
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

  /// Opens what is kept for the first signal. False when some of it could not be had: then no
  /// cgroup.procs is kept, and of the pod's own files what could be. Allocates nothing.
  [[nodiscard]] bool prepare();
  /// The part of it that `cgroup` needs, whose directory `dir` is.
  [[nodiscard]] bool keep(TargetCgroup& cgroup, int dir);
  [[nodiscard]] static bool keep_procs(TargetCgroup& cgroup, int dir);
  [[nodiscard]] bool keep_files(HierarchyKind kind, int dir);
  [[nodiscard]] bool keep_pids_max(int dir);
  /// What it says, of a target that keeps nothing.
  void look_at_pids_max(int dir);
  void close_kept_procs();
  void keep_nothing();
  /// pids.current of the pod, opened.
  [[nodiscard]] base::Fd open_tasks() const;
  /// Whether it is the pod's own, in its hierarchy.
  [[nodiscard]] bool is_pod(const TargetCgroup& cgroup) const;
  /// Whether processes may be in it that its v2 cgroup, if it has one, does not know.
  [[nodiscard]] bool on_v1() const;
  [[nodiscard]] bool in_scope(const TargetCgroup& cgroup, ListScope scope) const;
  /// Remembers that pids.max says what it does because evictd wrote it, and `before` before that.
  void remember_hold(const PidsMax& before);
  /// Lets the pod fork as before it was held, where pids.max says still what was made of it. False
  /// when it could not be written although the cgroup is there.
  [[nodiscard]] bool give_forks_back();

  std::string uid_;
  std::atomic<Protection> protection_{Protection::kNone};
  /// Parents before children; the first of each hierarchy is the pod's own.
  std::vector<TargetCgroup> cgroups_;
  /// For each hierarchy the ids of the root and of every directory from it down to the pod.
  std::vector<std::vector<CgroupId>> chains_;
  /// Of the pod's own cgroup; empty where the kernel or the hierarchy has no such file, and before
  /// it is prepared. `freeze_` only where there is no cgroup.kill.
  base::Fd kill_;
  base::Fd freeze_;
  base::Fd events_;
  base::Fd pids_max_;
  /// What it said when it was opened.
  PidsMax pids_max_before_;
  /// What evictd has made of it since.
  ForkHold forks_;
  int usage_fd_ = -1;
  bool prepared_ = false;
  bool keeps_procs_ = true;
  std::atomic<std::uint32_t> pins_{0};
};

}  // namespace evictd::enforce
