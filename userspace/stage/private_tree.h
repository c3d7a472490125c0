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

/// A pod of a PrivateTree: its cgroups with one container, and its manifest.
struct StagedPod {
  PodSpec spec;
  std::string uid;
  /// Paths below the mount of a hierarchy: "NAME/kubepods/besteffort/podUID" and one level deeper.
  std::filesystem::path pod;
  std::filesystem::path container;
};

/// A private cgroup tree, shaped like a kubelet's: NAME/kubepods/[burstable|besteffort]/podUID/ID
/// in the memory and pids hierarchies. Only its pod root is limited, so only it comes under
/// pressure. The destructor kills its processes and removes it; nothing outside is touched. One
/// thread uses it.
class PrivateTree {
 public:
  /// Errors: kPermission without root; kBusy if `name` exists; kUnsupported without the
  /// controllers.
  static Result<PrivateTree> create(const std::string& name);
  /// Takes over the tree of a killed process; the destructor removes it. All processes in it must
  /// have the name `program`, as the kernel reports it; they are then killed.
  /// Errors: kNotFound if there is none; kBusy, with the process, if another program is in it;
  /// kUnsupported.
  static Result<PrivateTree> take_over(const std::string& name, const std::string& program);

  PrivateTree(const PrivateTree&) = delete;
  PrivateTree& operator=(const PrivateTree&) = delete;
  PrivateTree(PrivateTree&& other) noexcept;
  PrivateTree& operator=(PrivateTree&& other) noexcept;
  ~PrivateTree();

  Result<StagedPod> add_pod(const PodSpec& spec);
  /// The same for a pod that had this uid before.
  Result<StagedPod> add_pod(const PodSpec& spec, const std::string& uid);
  /// Kills all processes of the pod with SIGKILL and waits until none is left.
  /// Errors: kTimedOut after 30 s.
  Result<> kill_pod(const StagedPod& pod) const;
  /// Removes the pod's cgroups. Errors: kBusy while they contain a process.
  Result<> remove_pod(const StagedPod& pod);
  /// remove_pod_root() removes the pod root in all hierarchies; make_pod_root() creates it again,
  /// empty, as create() does. Errors: kBusy while it contains a process; those of the kernel.
  Result<> remove_pod_root() const;
  Result<> make_pod_root() const;
  /// Removes the pod root and uses another cgroup in its place, a path below a hierarchy. Its owner
  /// creates and removes that cgroup. From now on limits and numbers refer to it, and no pods are
  /// added.
  /// Errors: as remove_pod_root().
  Result<> replace_pod_root(const std::filesystem::path& below_mount);
  /// Moves a process, possibly this one, into the pod's container.
  Result<> enter(const StagedPod& pod, pid_t pid) const;
  /// The directories of the pod's container, one per hierarchy, for a child that enters by itself.
  [[nodiscard]] std::vector<std::filesystem::path> directories_of(const StagedPod& pod) const;

  Result<> limit_memory(Bytes limit);
  Result<> limit_tasks(std::int64_t limit);

  /// Kills all processes of the tree with SIGKILL and waits until none is left.
  /// Errors: kTimedOut after 30 s.
  Result<> kill_all();
  /// Calls kill_all() and removes the tree, as the destructor does. Later calls do nothing.
  Result<> clear();
  /// Leaves the tree in place for inspection.
  void keep() { name_.clear(); }

  /// Charged bytes of the pod root.
  [[nodiscard]] Result<Bytes> usage() const;
  /// Inactive file cache of the pod root and its descendants. Source: memory.stat.
  [[nodiscard]] Result<Bytes> inactive_file() const;
  [[nodiscard]] Result<std::int64_t> tasks() const;
  /// Processes of the pod root and its descendants that the kernel's OOM killer killed since its
  /// creation. Source: oom_kill of memory.oom_control of every cgroup (v1) or of memory.events
  /// (v2).
  [[nodiscard]] Result<std::int64_t> oom_kills() const;

  [[nodiscard]] const Hierarchies& hierarchies() const { return hierarchies_; }
  /// "/NAME": the value for evictd's cgroupRoot.
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
  /// Processes of a cgroup and its descendants.
  [[nodiscard]] std::vector<pid_t> processes(const std::filesystem::path& below_mount) const;
  [[nodiscard]] Result<> kill_below(const std::filesystem::path& below_mount) const;

  Hierarchies hierarchies_;
  /// Empty once nothing is left to remove.
  std::string name_;
  /// Path below a hierarchy.
  std::filesystem::path pod_root_;
};

}  // namespace evictd::stage
