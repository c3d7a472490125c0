// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "daemon/hot/hot_pod.h"
#include "daemon/hot/readings.h"
#include "support/fake_cgroups.h"
#include "support/fake_tree.h"
#include "sys/cgroup_layout.h"
#include "sys/node_files.h"
#include "sys/root.h"

namespace evictd::daemon {

/// A machine of files: 1000 MiB of memory, 1000 process ids, and a pod root with 500 MiB and 100
/// tasks.
class FakeNode {
 public:
  FakeNode() {
    test::make_unified(tree_);
    tree_.write("/proc/meminfo", "MemTotal:     1024000 kB\nMemFree:          300 kB\n");
    set_max_pid(1000);
    tree_.write("/proc/sys/kernel/threads-max", "5000\n");
    set_tasks(94);
    set_memory(100_MiB);
    test::make_v2_cgroup(tree_, "/kubepods", true);
    tree_.write("/sys/fs/cgroup/kubepods/memory.max", std::to_string((500_MiB).value) + "\n");
  }

  /// What the kernel says that it could still give.
  void set_mem_available(Bytes available) const {
    tree_.write("/proc/meminfo", "MemTotal:     1024000 kB\nMemAvailable: " +
                                     std::to_string(available.value / 1024) + " kB\n");
  }
  /// The same, of which all are free pages.
  void set_free(Bytes free) const {
    const std::string kib = std::to_string(free.value / 1024) + " kB\n";
    tree_.write("/proc/meminfo", "MemTotal:     1024000 kB\nMemFree: " + kib + "MemAvailable: " +
                                     kib + "Active(file): 0 kB\nInactive(file): 0 kB\n" +
                                     "SwapTotal: 0 kB\nSwapFree: 0 kB\nKReclaimable: 0 kB\n");
  }
  void set_max_pid(int most) const {
    tree_.write("/proc/sys/kernel/pid_max", std::to_string(most) + "\n");
  }
  void set_tasks(int tasks) const {
    tree_.write("/proc/loadavg", "0.08 0.03 0.01 3/" + std::to_string(tasks) + " 6780\n");
  }
  /// Working set of the node.
  void set_memory(Bytes used) const {
    tree_.write("/sys/fs/cgroup/memory.stat",
                "anon " + std::to_string(used.value) + "\nfile 0\ninactive_file 0\n");
  }
  /// Usage of a pod or, as "", of the pod root, all of it working set but for 512 bytes.
  void set_usage(const std::string& uid, Bytes used) const {
    tree_.write("/sys/fs/cgroup" + path_of(uid) + "/memory.current",
                std::to_string(used.value) + "\n");
  }

  /// Of a pod, processes and threads.
  void set_tasks(const std::string& uid, int tasks) const {
    tree_.write("/sys/fs/cgroup" + path_of(uid) + "/pids.current", std::to_string(tasks) + "\n");
  }

  /// A pod with files and without processes: whoever wants to evict it finds nobody.
  [[nodiscard]] std::unique_ptr<HotPod> pod(std::uint32_t slot, const std::string& uid,
                                            Bytes used) const {
    test::make_v2_cgroup(tree_, path_of(uid), true);
    set_usage(uid, used);
    auto made = std::make_unique<HotPod>();
    made->slot = slot;
    made->uid = uid;
    made->name = uid;
    made->ns = "test";
    made->memory_id = {.hierarchy = 0, .id = slot};
    made->state = cluster::PodState::kActive;
    made->protection = enforce::Protection::kNone;
    made->files = HotFiles(sys::CgroupFiles::open(root_, layout(), path_of(uid)).value());
    return made;
  }

  /// Of a pod that was made; as where there is no pids controller.
  [[nodiscard]] sys::CgroupFiles files_without_tasks(const std::string& uid) const {
    return sys::CgroupFiles::open(root_, layout(), path_of(uid), sys::CgroupFileSet::kMemory)
        .value();
  }

  [[nodiscard]] Readings::Options readings() const {
    return {.table = nullptr,
            .node_files = sys::NodeFiles::open(root_, layout()).value(),
            .pod_root_files =
                sys::CgroupFiles::open(root_, layout(), "/kubepods", sys::CgroupFileSet::kRoot)
                    .value()};
  }

 private:
  [[nodiscard]] static std::string path_of(const std::string& uid) {
    return uid.empty() ? "/kubepods" : "/kubepods/pod" + uid;
  }
  [[nodiscard]] sys::CgroupLayout layout() const {
    return sys::CgroupLayout::detect(root_).value();
  }

  test::FakeTree tree_;
  sys::Root root_ = sys::Root::open(tree_.path()).value();
};

}  // namespace evictd::daemon
