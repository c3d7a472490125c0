// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The variables that all families share. Options are read-only data, set before loading; their
 * initial values only let the verifier see the live paths. */
#include "lib/maps.bpf.h"

const volatile __u32 cfg_page_shift = 12;
const volatile __u32 cfg_node_ids = 1;
const volatile __u32 cfg_number_type = 0;
const volatile __u64 cfg_base_period_ns = 100000000;
const volatile __u64 cfg_floor_ns = 20000;
const volatile __u64 cfg_kick_window_ns = 10000000;
const volatile __u64 cfg_near_bytes = 4 << 20;
const volatile __u64 cfg_rate_up = 32000000000ULL;
const volatile __u64 cfg_rate_down = 64000000000ULL;
const volatile __u64 cfg_fast_tick_interval_ns = 2500000;
const volatile __u64 cfg_fast_tick_burst_ns = 640000000;
const volatile __u64 cfg_stall_notice_ns = 50000000;
const volatile __u64 cfg_stall_window_ns = 1000000000;
const volatile __u64 cfg_approach_ns = 1000000;

struct evictd_stats stats = {};
struct evictd_cpu_stats cpu_stats[EVICTD_CPU_SLOTS] = {};
struct evictd_node node = {};
__u64 node_vm_stat[EVICTD_MAX_NODES] = {};
__u32 nodes_found = 0;
__u64 pid_allocated_address = 0;
/* Free swap slots, an atomic_long_t. User space finds it: for a __ksym libbpf would read the whole
 * list of symbols at each start, also without swap. */
__u64 nr_swap_pages_address = 0;
__u64 approach_ktime_ns = 0;
__u64 approach_paid_until_ktime_ns = 0;
__u32 own_tgid = 0;

__u32 nodes_with_memory = 0;
__u32 slot_limit = 0;
__u32 watch_limit = 0;
__u32 task_watches = 0;
__u32 node_memory_watch = 0;
__u32 node_tasks_watch = 0;
__u32 guard_watch = 0;
struct evictd_guard guard = {};
__u64 guard_look_ktime_ns = 0;
__u64 root_hierarchies = 0;

struct evictd_backstop backstop = {};

struct evictd_resolved resolved = {};

/* Programs use records only through pointers into the ring. These variables put the types into the
 * object's BTF, where tests/bpf/layout_test.cpp compares them with the C++ view. */
struct evictd_threshold_event *threshold_event_type = NULL;
struct evictd_stall_event *stall_event_type = NULL;
struct evictd_cgroup_event *cgroup_event_type = NULL;
struct evictd_oom_event *oom_event_type = NULL;
struct evictd_approach_event *approach_event_type = NULL;

char LICENSE[] SEC("license") = "Dual BSD/GPL";
