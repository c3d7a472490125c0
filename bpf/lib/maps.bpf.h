/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layer 2: every map and global variable, declared once for all families.
 *
 * Maps are weak, so that the linker merges the copies of all files; variables live in state.bpf.c.
 * User space sets sizes marked 1 before loading.
 */
#ifndef EVICTD_BPF_MAPS_H
#define EVICTD_BPF_MAPS_H

#include "compat.bpf.h"
#include "evictd/abi/backstop.h"
#include "evictd/abi/event.h"
#include "evictd/abi/table.h"
#include "evictd/abi/watch.h"

/* Bounds of the loops over rows, watches and the thresholds of one watch; for the verifier only.
 * evictd has 16 levels on a watch: 13 of a hard threshold and 3 of a soft one. */
#define EVICTD_MAX_ROWS	      4096
#define EVICTD_MAX_WATCHES    4096
#define EVICTD_MAX_THRESHOLDS 32

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} events __weak SEC(".maps");

/* User space reads these without a system call. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct evictd_row);
} rows __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct evictd_target);
} targets __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct evictd_watch);
} watches __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct evictd_threshold);
} thresholds __weak SEC(".maps");

/* Address of a memory or pids counter -> its users: one look-up per level of a walk. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct evictd_counter);
} counters __weak SEC(".maps");

/* Every cgroup with an entry in `counters`, so that rmdir finds the entries to drop. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct evictd_cgroup_key);
	__type(value, struct evictd_cgroup);
} cgroups __weak SEC(".maps");

/* Cgroups whose subtree is reported. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, struct evictd_cgroup_key);
	__type(value, __u32);
} roots __weak SEC(".maps");

/* Watches that are being compared, and plans that are claimed, where there are no exchanges
 * (compare.bpf.h, backstop.bpf.h). */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u32);
} compared __weak SEC(".maps");

extern const volatile __u32 cfg_page_shift;
extern const volatile __u32 cfg_number_type; /* load.bpf.h */
extern const volatile __u32 cfg_node_ids;    /* NUMA node numbers in use are below this */
extern const volatile __u64 cfg_base_period_ns;
extern const volatile __u64 cfg_floor_ns;
extern const volatile __u64 cfg_kick_window_ns;
extern const volatile __u64 cfg_near_bytes;
extern const volatile __u64 cfg_rate_up;
extern const volatile __u64 cfg_rate_down;
extern const volatile __u64 cfg_fast_tick_interval_ns;
extern const volatile __u64 cfg_fast_tick_burst_ns;
extern const volatile __u64 cfg_stall_notice_ns;
extern const volatile __u64 cfg_stall_window_ns;
extern const volatile __u64 cfg_approach_ns;

/* Written by kernel programs. */
extern struct evictd_stats stats;
extern struct evictd_cpu_stats cpu_stats[EVICTD_CPU_SLOTS];
extern struct evictd_node node;
extern __u64 node_vm_stat[EVICTD_MAX_NODES]; /* addresses of pglist_data.vm_stat, then 0 */
extern __u32 nodes_found;		     /* their number */
extern __u64 pid_allocated_address;
extern __u64 nr_swap_pages_address;
extern __u64 approach_ktime_ns;		   /* time of the last report */
extern __u64 approach_paid_until_ktime_ns; /* a report pays for one interval */

extern __u32 own_tgid; /* of user space, in the initial pid namespace */

/* Written by user space. Indices are one-based, 0 is none. */
extern __u32 nodes_with_memory; /* minimum of nodes_found */
extern __u32 slot_limit;	/* no slot at or above it is in use */
extern __u32 watch_limit;	/* 0 while user space rewrites the watches */
extern __u32 task_watches;	/* how many of them count tasks */
extern __u32 node_memory_watch;
extern __u32 node_tasks_watch;
extern __u32 guard_watch;
extern struct evictd_guard guard;
extern __u64 guard_look_ktime_ns; /* when a charge last checked the reserve */
extern __u64 root_hierarchies;	  /* bit per (hierarchy modulo 64) that has a root */

/* Written by both; its claim says by whom. */
extern struct evictd_backstop backstop;

/* The answer of cgroup_resolve if it is not an iterator; user space runs one at a time. */
extern struct evictd_resolved resolved;

/* Adds one to a field of struct evictd_cpu_stats in the slot of this CPU. */
#define EVICTD_COUNT(field)                                                                        \
	__sync_fetch_and_add(                                                                      \
	    &cpu_stats[bpf_get_smp_processor_id() & (EVICTD_CPU_SLOTS - 1)].field, 1)

#endif
