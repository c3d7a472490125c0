// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "stage/hierarchies.h"
#include "stage/pod_spec.h"

namespace evictd::stage {

/// A pod of a PrivateTree: its cgroups, one container in it, and what its manifest would say.
struct StagedPod {
  PodSpec spec;
  std::string uid;
  /// Paths below the mount of a hierarchy: "NAME/kubepods/besteffort/podUID" and one level deeper.
  std::filesystem::path pod;
  std::filesystem::path container;
};

/// A cgroup tree of our own, shaped like a kubelet's:
/// NAME/kubepods/[burstable|besteffort]/podUID/ID in the memory and pids hierarchies. Only its pod
/// root is limited, so only it comes under pressure. Destroying it kills what runs in it and
/// removes it; nothing outside it is touched. One thread uses it.
class PrivateTree {
 public:
  /// Errors: kPermission without root; kBusy if `name` exists; kUnsupported without the
  /// controllers.
  static Result<PrivateTree> create(const std::string& name);
  /// The tree that a process left which was killed: destroying it removes that one. Processes in it
  /// may be of `program` only, by the name that the kernel has for them; they are killed then.
  /// Errors: kNotFound if there is none; kBusy, naming the process, if another one is in it;
  /// kUnsupported.
  static Result<PrivateTree> take_over(const std::string& name, const std::string& program);

  PrivateTree(const PrivateTree&) = delete;
  PrivateTree& operator=(const PrivateTree&) = delete;
  PrivateTree(PrivateTree&& other) noexcept;
  PrivateTree& operator=(PrivateTree&& other) noexcept;
  ~PrivateTree();

  Result<StagedPod> add_pod(const PodSpec& spec);
  /// As add_pod(), but for a pod that had that uid before.
  Result<StagedPod> add_pod(const PodSpec& spec, const std::string& uid);
  /// Kills with SIGKILL whatever runs in the pod and waits until nothing does.
  /// Errors: kTimedOut after 30 s.
  Result<> kill_pod(const StagedPod& pod) const;
  /// Removes the pod's cgroups. Errors: kBusy while a process is in them.
  Result<> remove_pod(const StagedPod& pod);
  /// Removes the pod root in all hierarchies, and makes it anew, empty, as create() does.
  /// Errors: kBusy while a process is in it; what the kernel says.
  Result<> remove_pod_root() const;
  Result<> make_pod_root() const;
  /// Removes the pod root for another cgroup, which someone else made and removes: from now on
  /// limits and numbers are of that one, and pods are not added here. A path below a hierarchy.
  /// Errors: as remove_pod_root().
  Result<> replace_pod_root(const std::filesystem::path& below_mount);
  /// Moves a process, which may be this one, into the pod's container.
  Result<> enter(const StagedPod& pod, pid_t pid) const;
  /// The directories of the pod's container, one a hierarchy, for a child that enters by itself.
  [[nodiscard]] std::vector<std::filesystem::path> directories_of(const StagedPod& pod) const;

  Result<> limit_memory(Bytes limit);
  Result<> limit_tasks(std::int64_t limit);

  /// Kills with SIGKILL whatever runs in the tree and waits until nothing does.
  /// Errors: kTimedOut after 30 s.
  Result<> kill_all();
  /// kill_all() and removal; what the destructor does. Later calls do nothing.
  Result<> clear();
  /// Leaves the tree where it is, for someone who wants to look at it.
  void keep() { name_.clear(); }

  /// Charged bytes of the pod root, and tasks in it.
  [[nodiscard]] Result<Bytes> usage() const;
  /// Inactive file cache of the pod root and below. Source: memory.stat.
  [[nodiscard]] Result<Bytes> inactive_file() const;
  [[nodiscard]] Result<std::int64_t> tasks() const;
  /// Processes that the kernel's OOM killer took from the pod root or from below it, since it was
  /// made. Source: oom_kill of memory.oom_control of every cgroup (v1) or of memory.events (v2).
  [[nodiscard]] Result<std::int64_t> oom_kills() const;

  [[nodiscard]] const Hierarchies& hierarchies() const { return hierarchies_; }
  /// "/NAME": what evictd's cgroupRoot must be.
  [[nodiscard]] std::string cgroup_root() const { return "/" + name_; }
  /// The pod root's directory in the memory and in the pids hierarchy.
  [[nodiscard]] std::filesystem::path memory_directory() const;
  [[nodiscard]] std::filesystem::path pids_directory() const;
  /// kernfs id of the pod root in the memory hierarchy.
  [[nodiscard]] Result<std::uint64_t> memory_id() const;

 private:
  PrivateTree(Hierarchies hierarchies, std::string name);
  /// Mount points to work below: one on v2, two on v1.
  [[nodiscard]] std::vector<std::filesystem::path> mounts() const;
  [[nodiscard]] Result<> make(const std::filesystem::path& below_mount) const;
  [[nodiscard]] Result<> remove_below(const std::filesystem::path& below_mount) const;
  /// Those in a cgroup and below it.
  [[nodiscard]] std::vector<pid_t> processes(const std::filesystem::path& below_mount) const;
  [[nodiscard]] Result<> kill_below(const std::filesystem::path& below_mount) const;

  Hierarchies hierarchies_;
  /// Empty once there is nothing to remove.
  std::string name_;
  /// Path below a hierarchy.
  std::filesystem::path pod_root_;
};

}  // namespace evictd::stage
