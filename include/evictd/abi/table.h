/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables of the kernel side that user space reads without a system call. */
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
	__s64 working_set_rate_bytes_per_s; /* growth of usage minus inactive file cache */
	__u64 ktime_ns;			    /* when the values were read */
	__u32 generation;
	__u32 flags; /* enum evictd_row_flags; cleared when the cgroup is removed */
};
EVICTD_ABI_SIZE(struct evictd_row, 72);

struct evictd_node {
	__u64 usage_bytes; /* NR_FILE_PAGES + NR_ANON_MAPPED */
	__u64 inactive_file_bytes;
	__u64 tasks; /* pids allocated in the initial pid namespace */
	__u64 ktime_ns;
	__u64 at_hand_bytes; /* free or reclaimable */
	__u32 nodes;	     /* NUMA nodes summed; 0: unreadable */
	__u32 zones;	     /* zones per node, summed for at_hand_bytes; 0: unreadable */
	__u64 reserve_bytes; /* what the kernel can still allocate, computed with evictd_guard */
	__u64 reserve_rate;  /* its fall, bytes a second; 0 if it does not fall */
	__u64 reserve_last_rate;  /* of the last window; reserve_rate is the smaller of two */
	__u64 reserve_from_bytes; /* reserve at the start of the current window */
	__u64 reserve_from_ktime_ns;
	__u64 reserve_generation; /* evictd_guard.generation used for it */
};
EVICTD_ABI_SIZE(struct evictd_node, 96);

/* Parameters of the reserve, and how far ahead of its end it is reported; written by user space. */
struct evictd_guard {
	__u64 min_pages;     /* free pages that only the kernel itself may use; 0: unknown yet */
	__u64 low_pages;     /* most pages of page cache, and of slab, that the kernel keeps */
	__u64 swap_per_1024; /* worth of a free swap slot, in 1/1024 page */
	__u64 horizon_ns;
	__u64 tight_horizon_ns; /* with less than low_pages left */
	__u64 generation;	/* changes before and after each change of the above */
};
EVICTD_ABI_SIZE(struct evictd_guard, 48);

/* Counters of every charge or fork; they only grow. CPU n counts in slot n % EVICTD_CPU_SLOTS, so
 * that CPUs do not share a cache line. Readers add up all slots. */
#define EVICTD_CPU_SLOTS 64
struct evictd_cpu_stats {
	__u64 charges; /* runs of the charge hook that passed its filters */
	__u64 forks;
	__u64 kicks;
	__u64 pad[5];
} __attribute__((aligned(64)));
EVICTD_ABI_SIZE(struct evictd_cpu_stats, 64);

/* Counters of rare events, of the timer, and of events behind the ring's lock; they only grow. */
struct evictd_stats {
	__u64 emitted[EVICTD_EVENT_KINDS]; /* delivered + dropped */
	__u64 dropped[EVICTD_EVENT_KINDS];
	__u64 ticks;	  /* runs of the sweep timer */
	__u64 fast_ticks; /* ticks that a kick brought forward */
	__u64 throttled;  /* kicks refused because the budget of fast ticks was used up */
	__u64 last_tick_ktime_ns;
	__u64
	    stale_rows; /* rows cleared because their counter no longer belonged to their cgroup */
	__u64 row_refreshes;
	__u64 dying_rows; /* rows cleared because the kernel was removing their counter */
};
EVICTD_ABI_SIZE(struct evictd_stats, 136);

#define EVICTD_HOT_SLOTS 16

/* The sweep timer's plan; private to the kernel programs, exposed for tests. */
struct evictd_schedule {
	struct evictd_pace pace;
	__u64 stall_until_ns; /* until then a pod stalls: slow ticks are ten times as frequent */
	__u64 rows_ktime_ns;  /* when the timer last refreshed the rows */
	__u64 rows_charges;   /* total charges at that time; more now means rows may have moved */
	__u64 slow_ticks;
	__u32 hot[EVICTD_HOT_SLOTS]; /* one-based watches that were kicked recently */
};
EVICTD_ABI_SIZE(struct evictd_schedule, 136);

#endif
