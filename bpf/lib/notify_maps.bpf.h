/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 3: maps and variables of the object of notifications. Maps are weak, as in maps.bpf.h;
 * sizes marked 1 are set by user space before loading. */
#ifndef EVICTD_BPF_NOTIFY_MAPS_H
#define EVICTD_BPF_NOTIFY_MAPS_H

#include "node.bpf.h"
#include "evictd/abi/notify_row.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} notify_records __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct evictd_notify_row);
} notify_rows __weak SEC(".maps");

/* Edges of all rows, in units of their row; written while their row is free. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} notify_edges __weak SEC(".maps");

/* Address of a counter -> its rows: one look-up per level of a walk. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct evictd_notify_counter);
} notify_counters __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct evictd_cgroup_key);
	__type(value, struct evictd_notify_cgroup);
} notify_cgroups __weak SEC(".maps");

extern const volatile __u32 cfg_page_shift;
extern const volatile __u32 cfg_node_ids;
/* A hook sees freed memory too, so that nothing needs checks between two charges. */
extern const volatile __u32 cfg_sees_uncharge;
/* The hook misses charges between two of its calls: ticks cover the approach to an edge. */
extern const volatile __u32 cfg_needs_ticks;

extern struct evictd_notify_stats notify_stats;
extern struct evictd_notify_schedule notify_schedule;
extern __u64 notify_vm_stat[EVICTD_MAX_NODES];
extern __u64 notify_pid_allocated;

/* Written by user space. */
extern __u32 notify_row_limit; /* no row at or above it is in use; 0: the hooks do nothing */
extern __u32 notify_swap_rows; /* number of rows on a swap counter */
extern __u32 notify_task_rows; /* on a pids counter */

#endif
