// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "enforce/pod_root.h"
#include "enforce/protection.h"
#include "enforce/target_cgroup.h"
#include "evictd/bytes.h"
#include "evictd/cgroup_id.h"
#include "evictd/result.h"

namespace evictd::enforce {

struct ProcessList;
enum class ListScope;

/// A pod as the hot thread can signal it: ids, protection and kept descriptors of its cgroup and of
/// all below it, in every hierarchy that matters.
/// Made by housekeeping when the pod appears, and made anew when a cgroup below it appears or goes;
/// then handed to the hot thread, which alone uses it. Housekeeping destroys it only once the hot
/// thread has let it go and pinned() is false, and at the end after the actuator.
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
  };

  /// Opens everything. Symbolic links are not followed and the path cannot leave the root.
  /// Errors: kNotFound when no hierarchy has the pod; kInvalid for a path that is not below its
  /// root; kExhausted when out of descriptors. Blocks: never on the hot thread.
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
  /// Bytes charged to the pod now, from a kept descriptor; nothing once it is removed or without a
  /// memory controller. Cost: one pread.
  [[nodiscard]] std::optional<Bytes> usage() const;

  /// An eviction that is under way pins its target.
  [[nodiscard]] bool pinned() const { return pins_.load(std::memory_order_acquire) != 0; }

 private:
  friend class CgroupActuator;
  friend class DryRunActuator;
  friend class ProcessLister;
  friend class PinnedTarget;
  friend void list_anew(const KillTarget& target, ProcessList& list);
  KillTarget() = default;

  [[nodiscard]] Result<bool> add_place(const Place& place);
  [[nodiscard]] Result<> add_tree(base::Fd dir, CgroupId id, HierarchyKind kind,
                                  std::size_t parent);
  void keep_files(const TargetCgroup& pod);
  /// Whether processes may be in it that its v2 cgroup, if it has one, does not know.
  [[nodiscard]] bool on_v1() const;
  [[nodiscard]] bool in_scope(const TargetCgroup& cgroup, ListScope scope) const;

  std::string uid_;
  std::atomic<Protection> protection_{Protection::kNone};
  /// Parents before children; the first of each hierarchy is the pod's own.
  std::vector<TargetCgroup> cgroups_;
  /// For each hierarchy the ids of the root and of every directory from it down to the pod.
  std::vector<std::vector<CgroupId>> chains_;
  /// Of the pod's own cgroup; empty where the kernel or the hierarchy has no such file.
  base::Fd kill_;
  base::Fd freeze_;
  base::Fd events_;
  base::Fd pids_max_;
  base::Fd usage_;
  std::atomic<std::uint32_t> pins_{0};
};

}  // namespace evictd::enforce
