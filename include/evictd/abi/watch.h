/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel side watches, written by user space. Addresses come from the iterator
 * `cgroup_resolve`. */
#ifndef EVICTD_ABI_WATCH_H
#define EVICTD_ABI_WATCH_H

#include "event.h"

/* Answer of the iterator for one cgroup. Address 0: the cgroup lacks the controller. */
struct evictd_resolved {
	struct evictd_cgroup_key cgroup;
	__u64 memory_counter; /* &mem_cgroup.memory */
	__u64 inactive_file;  /* the long with its pages of inactive file cache, whole subtree */
	__u64 pids_counter;   /* &pids_cgroup.counter */
	__u64 memory_serial;  /* css.serial_nr, of no other css since the machine started */
	__u64 pids_serial;
	__u32 level; /* 0: the hierarchy's root, which has no counter */
	__u32 pad;
};
EVICTD_ABI_SIZE(struct evictd_resolved, 64);

/* Where a row's values come from; array `targets`, index = slot. */
struct evictd_target {
	__u64 memory_counter;
	__u64 inactive_file;
	__u64 memory_serial; /* of the css that must still own the counter after each use */
	__u64 memory_id;
	__u64 pids_counter;
	__u64 pids_serial;
	__u32 generation;
	__u32 pad;
	/* kernel side's own */
	__u64 rate_ktime_ns;
	__u64 rate_usage_bytes;
	__u64 rate_working_set_bytes;
	__u64 stall_ns;
	__u64 stall_window_start_ns;
	__u64 stall_window_total_ns;
	__u64 stall_reported; /* in this window */
};
EVICTD_ABI_SIZE(struct evictd_target, 112);

enum evictd_threshold_state {
	EVICTD_THRESHOLD_UNKNOWN = 0,
	EVICTD_THRESHOLD_BELOW = 1,
	EVICTD_THRESHOLD_ABOVE = 2,
};

/* "value of the watch is above N"; array `thresholds`, those of one watch adjacent. */
struct evictd_threshold {
	__u64 id;
	__u64 value;
	__u64 hysteresis; /* below again when value <= N - hysteresis */
	__u32 state;	  /* enum evictd_threshold_state */
	__u32 pad;
};
EVICTD_ABI_SIZE(struct evictd_threshold, 32);

/* One signal of one cgroup (or of the node) and its thresholds; array `watches`. */
struct evictd_watch {
	struct evictd_cgroup_key cgroup;
	__u64 counter; /* memory or pids counter; 0: gone, or a node signal */
	__u64 inactive_file;
	__u32 signal; /* enum evictd_signal */
	__u32 first;  /* index of its first threshold */
	__u32 count;
	__u32 force; /* compare every threshold at the next check, despite the bounds */
	/* kernel side's own: no threshold is crossed while lower <= value <= upper */
	__u64 upper;
	__u64 lower;
	__u64 value; /* last read */
	__u64 value_ktime_ns;
	__u64 rate;   /* growth or fall over the last readings, bytes a second */
	__u64 growth; /* as rate, growth only; 0 if unknown */
	__u64 kick_ktime_ns;
	__u32 busy; /* a CPU is comparing */
	__u32 pad;
};
EVICTD_ABI_SIZE(struct evictd_watch, 112);

/* Users of one counter address; hash `counters`. Indices are one-based, 0 is none. */
struct evictd_counter {
	__u32 slot;
	__u32 working_set_watch;
	__u32 usage_watch;
	__u32 tasks_watch;
};
EVICTD_ABI_SIZE(struct evictd_counter, 16);

/* Counters to drop when a cgroup is removed; hash `cgroups`. */
struct evictd_cgroup {
	__u64 memory_counter;
	__u64 pids_counter;
};
EVICTD_ABI_SIZE(struct evictd_cgroup, 16);

#endif
