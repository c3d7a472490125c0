/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What user space and the kernel programs of notifications share: rows, their edges, records. */
#ifndef EVICTD_ABI_NOTIFY_ROW_H
#define EVICTD_ABI_NOTIFY_ROW_H

#include "notify_attention.h"
#include "notify_terms.h"
#include "pace.h"
#include "types.h"

/* Where the counters of a cgroup are; answer of the iterator `notify_resolve`. An address of 0: the
 * controller is not there. */
struct evictd_notify_resolved {
	struct evictd_cgroup_key cgroup;
	__u64 memory_counter; /* &mem_cgroup.memory */
	__u64 swap_counter;   /* &mem_cgroup.memsw, which is .swap on v2 */
	__u64 inactive_file;  /* the long that holds its pages, whole subtree */
	__u64 pids_counter;   /* &pids_cgroup.counter */
	__u32 level;	      /* 0: the hierarchy's root, whose values are the machine's */
	__u32 pad;
};
EVICTD_ABI_SIZE(struct evictd_notify_resolved, 56);

enum evictd_notify_row_state {
	EVICTD_NOTIFY_ROW_FREE = 0, /* user space may write it */
	EVICTD_NOTIFY_ROW_LIVE = 1,
	EVICTD_NOTIFY_ROW_GONE = 2, /* its cgroup was removed, or the controller taken from it */
};

/*
 * One value of one cgroup, compared with a sorted list of edges; array `notify_rows`.
 *
 * Its position is how many edges are <= the value. A move of the position is one record, whichever
 * and however many edges it passes. Only the window around the value is looked at in between.
 */
struct evictd_notify_row {
	struct evictd_cgroup_key cgroup;
	__u64 counter;	  /* address */
	__u64 second;	  /* of swap (MEMSW on v2) or of inactive file pages (WORKING_SET), or 0 */
	__u32 signal;	  /* enum evictd_notify_signal, one of those with a value */
	__u32 unit;	  /* enum evictd_notify_unit */
	__u32 machine;	  /* the root: the value is the machine's */
	__u32 generation; /* of this index */
	__u32 first; /* of its edges in `notify_edges`; they are neighbours, ascending, distinct */
	__u32 count;
	/* kernel side's own from here on */
	__u32 state; /* enum evictd_notify_row_state */
	__u32 busy;  /* a CPU is moving it */
	__u32 again; /* another one came meanwhile */
	__u32 position;
	__u64 low; /* low <= value < high: no edge was passed */
	__u64 high;
	__u64 moves; /* records, those that found the ring full included */
	__u64 value; /* last looked at, in the signal's own unit */
	__u64 value_ktime_ns;
	__u64 speed;  /* of the last looks, up or down, units a second */
	__u64 growth; /* upwards, 0 after a rest */
	__u64 rate;   /* RATE: growth over the last window */
	__u64 rate_usage;
	__u64 rate_ktime_ns;
	__u64 kick_ktime_ns;
	struct evictd_notify_looks looks;
};
EVICTD_ABI_SIZE(struct evictd_notify_row, 176);

/* The rows that one counter moves; hash `notify_counters`. One-based, 0 for none. Memory has seven
 * values (a rate is no share of a limit); the eighth place is for a row that is to replace one. */
#define EVICTD_NOTIFY_ROWS_A_COUNTER 8
struct evictd_notify_counter {
	__u32 rows[EVICTD_NOTIFY_ROWS_A_COUNTER];
};
EVICTD_ABI_SIZE(struct evictd_notify_counter, 32);

/* What is to be forgotten with a cgroup; hash `notify_cgroups`. */
struct evictd_notify_cgroup {
	__u64 memory_counter;
	__u64 swap_counter;
	__u64 pids_counter;
};
EVICTD_ABI_SIZE(struct evictd_notify_cgroup, 24);

enum evictd_notify_record_kind {
	EVICTD_NOTIFY_MOVED = 0,    /* a row's position: from -> to */
	EVICTD_NOTIFY_SWITCHED = 1, /* the last move of row `replaced`; from now on `row` counts */
	EVICTD_NOTIFY_REMOVED = 2,  /* the cgroup or a controller of it; maybe more than once */
	EVICTD_NOTIFY_HINT =
	    3, /* an edge above is `value` nanoseconds away; `row`: CPU of who comes */
	EVICTD_NOTIFY_RECORD_KINDS = 4,
};

/* Signals as bits (1 << enum evictd_notify_signal): those of a cgroup that was removed. */
#define EVICTD_NOTIFY_ALL_SIGNALS ((1U << EVICTD_NOTIFY_SIGNALS) - 1U)

/* The same of what ends with the controller that `signal` is of; all but PIDS are of memory. */
static inline __u32 evictd_notify_signals_beside(__u32 signal)
{
	const __u32 tasks = 1U << EVICTD_NOTIFY_PIDS;

	return signal == EVICTD_NOTIFY_PIDS ? tasks : EVICTD_NOTIFY_ALL_SIGNALS & ~tasks;
}

enum evictd_notify_origin {
	EVICTD_NOTIFY_BY_CHARGE = 0,
	EVICTD_NOTIFY_BY_TICK = 1,
	EVICTD_NOTIFY_BY_TASK = 2, /* a fork or the end of a task */
	EVICTD_NOTIFY_BY_USER = 3, /* asked for by user space */
};

/* Record of the ring buffer `notify_records`. */
struct evictd_notify_record {
	__u32 kind;
	__u32 origin; /* enum evictd_notify_origin */
	__u64 ktime_ns;
	__u64 value; /* in the signal's own unit; REMOVED: bits (1 << signal) of what has ended */
	__u64 moves; /* of the row (SWITCHED: of the replaced one), this one included */
	struct evictd_cgroup_key cgroup;
	__u32 row; /* index */
	__u32 generation;
	__u32 from;
	__u32 to;
	__u32 replaced; /* SWITCHED: one-based, 0 for none */
	__u32 position; /* SWITCHED: where `row` begins */
};
EVICTD_ABI_SIZE(struct evictd_notify_record, 72);

/* Rows that `notify_begin`, `notify_switch` and `notify_end` are about. One-based, 0 for none. */
struct evictd_notify_switch {
	__u32 old;
	__u32 next;
};
EVICTD_ABI_SIZE(struct evictd_notify_switch, 8);

/* Counters that only grow, of what is rare or the timer's own. */
struct evictd_notify_stats {
	__u64 records; /* tried to emit, hints not counted */
	__u64 dropped; /* those that found the ring full */
	__u64 ticks;
	__u64 fast_ticks;
	__u64 throttled; /* fast ticks refused: their budget was used up */
	__u64 stale;	 /* rows whose counter had gone before its cgroup's removal was seen */
	__u64 hints;
	__u64 still; /* rows that slow ticks passed over: they stood still */
};
EVICTD_ABI_SIZE(struct evictd_notify_stats, 64);

#define EVICTD_NOTIFY_HOT_ROWS 32

/* The timer's plan; kernel programs' own. */
struct evictd_notify_schedule {
	struct evictd_pace pace;
	struct evictd_notify_hints hints;
	__u32 hot[EVICTD_NOTIFY_HOT_ROWS]; /* one-based rows that are followed */
};
EVICTD_ABI_SIZE(struct evictd_notify_schedule, 184);

#endif
