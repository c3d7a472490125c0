/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared by user space and the kernel programs of notifications: rows, their edges, records. */
#ifndef EVICTD_ABI_NOTIFY_ROW_H
#define EVICTD_ABI_NOTIFY_ROW_H

#include "notify_attention.h"
#include "notify_terms.h"
#include "pace.h"
#include "types.h"

/* Addresses of a cgroup's counters; answer of the iterator `notify_resolve`. 0: the cgroup lacks
 * the controller. */
struct evictd_notify_resolved {
	struct evictd_cgroup_key cgroup;
	__u64 memory_counter; /* &mem_cgroup.memory */
	__u64 swap_counter;   /* &mem_cgroup.memsw, which is .swap on v2 */
	__u64 inactive_file;  /* the long with its number of pages, whole subtree */
	__u64 pids_counter;   /* &pids_cgroup.counter */
	__u32 level;	      /* 0: the hierarchy's root, whose values are the machine's */
	__u32 pad;
};
EVICTD_ABI_SIZE(struct evictd_notify_resolved, 56);

enum evictd_notify_row_state {
	EVICTD_NOTIFY_ROW_FREE = 0, /* user space may write it */
	EVICTD_NOTIFY_ROW_LIVE = 1,
	EVICTD_NOTIFY_ROW_GONE = 2, /* its cgroup was removed or lost the controller */
};

/*
 * One value of one cgroup, compared with a sorted list of edges; array `notify_rows`.
 *
 * Its position is the number of edges <= the value. A change of the position is one record, however
 * many edges it passes. In between, only the window [low, high) around the value is compared.
 */
struct evictd_notify_row {
	struct evictd_cgroup_key cgroup;
	__u64 counter;	  /* address */
	__u64 second;	  /* of swap (MEMSW on v2) or of inactive file pages (WORKING_SET), or 0 */
	__u32 signal;	  /* enum evictd_notify_signal, one of those with a value */
	__u32 unit;	  /* enum evictd_notify_unit */
	__u32 machine;	  /* 1: root cgroup, the value is the machine's */
	__u32 generation; /* of this index */
	__u32 first; /* of its edges in `notify_edges`; they are neighbours, ascending, distinct */
	__u32 count;
	/* kernel side's own from here on */
	__u32 state; /* enum evictd_notify_row_state */
	__u32 busy;  /* a CPU is moving it */
	__u32 again; /* another CPU wanted to move it meanwhile */
	__u32 position;
	__u64 low; /* low <= value < high: no edge was passed */
	__u64 high;
	__u64 moves; /* records, including those lost to a full ring */
	__u64 value; /* last read, in the signal's own unit */
	__u64 value_ktime_ns;
	__u64 speed;  /* over the last readings, up or down, units a second */
	__u64 growth; /* speed upwards; 0 after a rest */
	__u64 rate;   /* RATE: growth over the last window */
	__u64 rate_usage;
	__u64 rate_ktime_ns;
	__u64 kick_ktime_ns;
	struct evictd_notify_looks looks;
};
EVICTD_ABI_SIZE(struct evictd_notify_row, 176);

/* The rows that depend on one counter; hash `notify_counters`. One-based, 0 for none. A memory
 * counter has seven values (RATE has no OF_LIMIT); the eighth place is for a replacement row. */
#define EVICTD_NOTIFY_ROWS_A_COUNTER 8
struct evictd_notify_counter {
	__u32 rows[EVICTD_NOTIFY_ROWS_A_COUNTER];
};
EVICTD_ABI_SIZE(struct evictd_notify_counter, 32);

/* Counters to drop when a cgroup is removed; hash `notify_cgroups`. */
struct evictd_notify_cgroup {
	__u64 memory_counter;
	__u64 swap_counter;
	__u64 pids_counter;
};
EVICTD_ABI_SIZE(struct evictd_notify_cgroup, 24);

enum evictd_notify_record_kind {
	EVICTD_NOTIFY_MOVED = 0,    /* a row's position: from -> to */
	EVICTD_NOTIFY_SWITCHED = 1, /* the last move of row `replaced`; from now on `row` counts */
	EVICTD_NOTIFY_REMOVED = 2,  /* the cgroup or a controller of it; may be repeated */
	EVICTD_NOTIFY_HINT =
	    3, /* an edge above is `value` nanoseconds away; `row`: CPU of the growing task */
	EVICTD_NOTIFY_RECORD_KINDS = 4,
};

/* All signals as bits (1 << enum evictd_notify_signal): what ends when a cgroup is removed. */
#define EVICTD_NOTIFY_ALL_SIGNALS ((1U << EVICTD_NOTIFY_SIGNALS) - 1U)

/* Signals as bits that end with the controller of `signal`. All but PIDS belong to memory. */
static inline __u32 evictd_notify_signals_beside(__u32 signal)
{
	const __u32 tasks = 1U << EVICTD_NOTIFY_PIDS;

	return signal == EVICTD_NOTIFY_PIDS ? tasks : EVICTD_NOTIFY_ALL_SIGNALS & ~tasks;
}

enum evictd_notify_origin {
	EVICTD_NOTIFY_BY_CHARGE = 0,
	EVICTD_NOTIFY_BY_TICK = 1,
	EVICTD_NOTIFY_BY_TASK = 2, /* a fork or exit of a task */
	EVICTD_NOTIFY_BY_USER = 3, /* requested by user space */
};

/* Record of the ring buffer `notify_records`. */
struct evictd_notify_record {
	__u32 kind;
	__u32 origin; /* enum evictd_notify_origin */
	__u64 ktime_ns;
	__u64 value; /* in the signal's own unit; REMOVED: bits (1 << signal) of ended signals */
	__u64 moves; /* of the row (SWITCHED: of the replaced row), this one included */
	struct evictd_cgroup_key cgroup;
	__u32 row; /* index */
	__u32 generation;
	__u32 from;
	__u32 to;
	__u32 replaced; /* SWITCHED: one-based, 0 for none */
	__u32 position; /* SWITCHED: where `row` begins */
};
EVICTD_ABI_SIZE(struct evictd_notify_record, 72);

/* Arguments of `notify_begin`, `notify_switch` and `notify_end`: rows, one-based, 0 for none. */
struct evictd_notify_switch {
	__u32 old;
	__u32 next;
};
EVICTD_ABI_SIZE(struct evictd_notify_switch, 8);

/* Counters that only grow, of what is rare or the timer's own. */
struct evictd_notify_stats {
	__u64 records; /* emitted or dropped, without hints */
	__u64 dropped; /* records lost because the ring was full */
	__u64 ticks;
	__u64 fast_ticks;
	__u64 throttled;  /* fast ticks refused: their budget was used up */
	__u64 stale;	  /* rows whose counter was gone before their cgroup's removal was seen */
	__u64 hints;	  /* without lost ones */
	__u64 still;	  /* rows that slow ticks skipped because they rested */
	__u64 lost_hints; /* hints that found the ring full */
};
EVICTD_ABI_SIZE(struct evictd_notify_stats, 72);

#define EVICTD_NOTIFY_HOT_ROWS 32

/* The timer's plan; private to the kernel programs. */
struct evictd_notify_schedule {
	struct evictd_pace pace;
	struct evictd_notify_hints hints;
	__u32 hot[EVICTD_NOTIFY_HOT_ROWS]; /* one-based rows that are followed */
};
EVICTD_ABI_SIZE(struct evictd_notify_schedule, 184);

#endif
