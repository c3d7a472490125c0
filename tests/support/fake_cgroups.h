// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "support/fake_tree.h"

namespace evictd::test {

/// mountinfo of a machine with all controllers on v1, each mounted, and cgroup2 besides.
/// Captured on Linux 6.18.
inline constexpr std::string_view kHybridMounts =
    R"(22 27 0:21 / /proc rw,relatime - proc proc rw
23 27 0:22 / /sys rw,relatime - sysfs sysfs rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard,resuid=65534,resgid=65534
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
37 31 0:34 / /sys/fs/cgroup/freezer rw,relatime - cgroup cgroup rw,freezer
39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
)";
inline constexpr std::string_view kHybridSelf = R"(9:name=systemd:/
8:pids:/
6:freezer:/
4:memory:/user/session
1:cpu:/
0::/
)";
/// Captured on Linux 6.18: hierarchy, then number of cgroups.
inline constexpr std::string_view kHybridControllers =
    R"(#subsys_name	hierarchy	num_cgroups	enabled
cpuset	3	1	1
cpu	1	1	1
memory	4	14	1
freezer	6	1	1
net_cls	0	1	1
pids	8	1	1
)";

/// mountinfo and other files of Debian 12 with systemd: one cgroup2 mount with all controllers.
inline constexpr std::string_view kUnifiedMounts =
    R"(22 27 0:20 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw
23 27 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:13 - proc proc rw
29 22 0:25 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot
30 22 0:26 / /sys/fs/pstore rw,nosuid,nodev,noexec,relatime shared:10 - pstore pstore rw
)";

/// Makes `tree` look like a machine with v1 controllers and cgroup2.
inline void make_hybrid(const FakeTree& tree) {
  tree.write("/proc/self/mountinfo", kHybridMounts);
  tree.write("/proc/self/cgroup", kHybridSelf);
  tree.write("/proc/cgroups", kHybridControllers);
  tree.write("/sys/fs/cgroup/unified/cgroup.controllers", "\n");
  for (const std::string_view controller : {"memory", "pids", "freezer"}) {
    tree.make_directory("/sys/fs/cgroup/" + std::string(controller));
  }
}

/// Makes `tree` look like a machine with cgroup2 only.
inline void make_unified(const FakeTree& tree) {
  tree.write("/proc/self/mountinfo", kUnifiedMounts);
  tree.write("/proc/self/cgroup", "0::/init.scope\n");
  tree.write("/proc/cgroups", "#subsys_name\thierarchy\tnum_cgroups\tenabled\nmemory\t0\t70\t1\n");
  tree.write("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory hugetlb pids rdma misc\n");
}

/// Creates the v1 cgroup `path` with the files that evictd reads, in the memory and pids
/// hierarchies; `processes` is the text of cgroup.procs.
inline void make_v1_cgroup(const FakeTree& tree, std::string_view path,
                           std::string_view processes = "") {
  const std::string memory = "/sys/fs/cgroup/memory" + std::string(path);
  tree.write(memory + "/memory.usage_in_bytes", "1048576\n");
  tree.write(memory + "/memory.limit_in_bytes", "9223372036854771712\n");
  tree.write(memory + "/memory.stat", "inactive_file 1\ntotal_cache 9\ntotal_inactive_file 4096\n");
  tree.write(memory + "/cgroup.procs", processes);
  const std::string pids = "/sys/fs/cgroup/pids" + std::string(path);
  tree.write(pids + "/pids.current", "3\n");
  tree.write(pids + "/pids.max", "max\n");
  tree.write(pids + "/cgroup.procs", processes);
}

/// Creates the v2 cgroup `path` with the files that evictd reads.
inline void make_v2_cgroup(const FakeTree& tree, std::string_view path, bool populated = false) {
  const std::string directory = "/sys/fs/cgroup" + std::string(path);
  tree.write(directory + "/memory.current", "2097152\n");
  tree.write(directory + "/memory.max", "max\n");
  tree.write(directory + "/memory.stat", "anon 8192\nfile 4096\ninactive_file 512\n");
  tree.write(directory + "/pids.current", "5\n");
  tree.write(directory + "/pids.max", "100\n");
  tree.write(directory + "/cgroup.events",
             populated ? "populated 1\nfrozen 0\n" : "populated 0\nfrozen 0\n");
}

}  // namespace evictd::test
