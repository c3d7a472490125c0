/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel side keeps for user space to read without a system call. */
#ifndef EVICTD_ABI_TABLE_H
#define EVICTD_ABI_TABLE_H

#include "event.h"
#include "pace.h"

enum evictd_row_flags {
	EVICTD_ROW_MEMORY = 1, /* usage, inactive_file and limit are readable */
	EVICTD_ROW_TASKS = 2,
};

/* One watched cgroup; index = slot of the mmapable array `rows`. Written by kernel programs only.
 */
struct evictd_row {
	__u64 usage_bytes;
	__u64 inactive_file_bytes;
	__u64 limit_bytes; /* ~0 for none */
	__u64 tasks;
	__u64 stall_ns;
	__s64 rate_bytes_per_s;		    /* growth of the usage */
	__s64 working_set_rate_bytes_per_s; /* of it less inactive file cache */
	__u64 ktime_ns;			    /* when the values were read */
	__u32 generation;
	__u32 flags; /* enum evictd_row_flags; a flag goes away when the cgroup does */
};
EVICTD_ABI_SIZE(struct evictd_row, 72);

struct evictd_node {
	__u64 usage_bytes; /* NR_FILE_PAGES + NR_ANON_MAPPED */
	__u64 inactive_file_bytes;
	__u64 tasks; /* pids allocated in the initial pid namespace */
	__u64 ktime_ns;
	__u64 at_hand_bytes; /* free, or the kernel can have it back */
	__u32 nodes;	     /* NUMA nodes summed; 0: cannot be read */
	__u32 zones;	     /* of each node, summed for what is at hand; 0: that cannot be read */
	__u64 reserve_bytes; /* what the kernel can still give, by the terms of evictd_guard */
	__u64 reserve_rate;  /* how fast that falls, bytes a second; 0 while it does not */
	__u64 reserve_last_rate;  /* of the last window; the above is the smaller one of two */
	__u64 reserve_from_bytes; /* what the window is measured from, and since when */
	__u64 reserve_from_ktime_ns;
	__u64 reserve_generation; /* of the terms */
};
EVICTD_ABI_SIZE(struct evictd_node, 96);

/* By what the reserve is worked out, and how far ahead of its end it is reported; written by user
 * space. */
struct evictd_guard {
	__u64 min_pages;     /* free pages that only the kernel itself may use; 0: not known yet */
	__u64 low_pages;     /* so many at most are kept of page cache, and of slab */
	__u64 swap_per_1024; /* of a page that a free slot is worth */
	__u64 horizon_ns;
	__u64 tight_horizon_ns; /* with less than low_pages left */
	__u64 generation;	/* changes before and after any of the above does */
};
EVICTD_ABI_SIZE(struct evictd_guard, 48);

/* Counters that only grow, of what every charge or fork does: CPU n counts at n % EVICTD_CPU_SLOTS,
 * so that it waits for no other CPU's cache line. Add up all slots. */
#define EVICTD_CPU_SLOTS 64
struct evictd_cpu_stats {
	__u64 charges; /* runs of the charge hook that passed its filters */
	__u64 forks;
	__u64 kicks;
	__u64 pad[5];
} __attribute__((aligned(64)));
EVICTD_ABI_SIZE(struct evictd_cpu_stats, 64);

/* Counters that only grow, of what is rare, the timer's own, or behind the ring's lock anyway. */
struct evictd_stats {
	__u64 emitted[EVICTD_EVENT_KINDS]; /* tried to emit: delivered + dropped */
	__u64 dropped[EVICTD_EVENT_KINDS];
	__u64 ticks;	  /* runs of the sweep timer */
	__u64 fast_ticks; /* those that came early because of a kick */
	__u64 throttled;  /* kicks refused because the budget of fast ticks was used up */
	__u64 last_tick_ktime_ns;
	__u64
	    stale_rows; /* rows cleared because their counter no longer belonged to their cgroup */
	__u64 row_refreshes;
	__u64 dying_rows; /* rows cleared because the kernel was taking their counter away */
};
EVICTD_ABI_SIZE(struct evictd_stats, 136);

#define EVICTD_HOT_SLOTS 16

/* The sweep timer's plan; kernel programs' own, exposed for tests. */
struct evictd_schedule {
	struct evictd_pace pace;
	__u64 stall_until_ns; /* a pod is stalling: slow ticks come ten times as often */
	__u64 rows_ktime_ns;  /* when the timer last refreshed the rows */
	__u64 rows_charges;   /* all charges then: what has moved since */
	__u64 slow_ticks;
	__u32 hot[EVICTD_HOT_SLOTS]; /* one-based watches that were kicked lately */
};
EVICTD_ABI_SIZE(struct evictd_schedule, 136);

#endif
