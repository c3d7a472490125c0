/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Records of the ring buffer `events`. Every record begins with struct evictd_event_header. */
#ifndef EVICTD_ABI_EVENT_H
#define EVICTD_ABI_EVENT_H

#include "types.h"

/* Longest path carried; a longer one is cut at its end and EVICTD_PATH_CUT is set. */
#define EVICTD_PATH_LEN 384
#define EVICTD_COMM_LEN 16

enum evictd_event_kind {
	EVICTD_EVENT_THRESHOLD = 0,
	EVICTD_EVENT_STALL = 1,
	EVICTD_EVENT_CGROUP = 2,
	EVICTD_EVENT_OOM = 3,
	EVICTD_EVENT_APPROACH = 4,
	EVICTD_EVENT_KINDS = 5,
};

/* What a threshold is compared with. */
enum evictd_signal {
	EVICTD_SIGNAL_CGROUP_WORKING_SET = 0, /* usage - inactive_file, bytes */
	EVICTD_SIGNAL_CGROUP_USAGE = 1,	      /* bytes */
	EVICTD_SIGNAL_CGROUP_TASKS = 2,
	EVICTD_SIGNAL_NODE_WORKING_SET = 3, /* bytes */
	EVICTD_SIGNAL_NODE_TASKS = 4,
	EVICTD_SIGNAL_NODE_TAKEN = 5, /* EVICTD_NODE_CEILING - at_hand_bytes of the node, bytes */
	/* EVICTD_NODE_CEILING - the node's reserve + its expected loss within the horizon, bytes.
	 * Above the ceiling: the reserve ends within the horizon. */
	EVICTD_SIGNAL_NODE_RESERVE = 6,
	EVICTD_SIGNALS = 7,
};

/* More memory than any machine has. A watch reports growing values, but memory at hand is short
 * when it falls. So it is subtracted from this constant, which memory hotplug does not change. */
#define EVICTD_NODE_CEILING (1ULL << 60)

/* Which program found the crossing. */
enum evictd_origin {
	EVICTD_ORIGIN_CHARGE = 0, /* the charge hook, in the charging task's context */
	EVICTD_ORIGIN_TICK = 1,	  /* the sweep timer */
	EVICTD_ORIGIN_FORK = 2,
	EVICTD_ORIGIN_RESYNC = 3, /* requested by user space */
};

enum evictd_cgroup_change {
	EVICTD_CGROUP_CREATED = 0,
	EVICTD_CGROUP_REMOVED = 1,
	EVICTD_CGROUP_POPULATED = 2,
	EVICTD_CGROUP_EMPTIED = 3,
};

struct evictd_event_header {
	__u32 kind; /* enum evictd_event_kind */
	__u32 size; /* of the whole record, this header included */
	__u64 ktime_ns;
};
EVICTD_ABI_SIZE(struct evictd_event_header, 16);

/* One threshold crossed in one direction. */
struct evictd_threshold_event {
	struct evictd_event_header header;
	struct evictd_cgroup_key cgroup; /* zero for a node signal */
	__u64 threshold_id;
	__u64 value;
	__u64 threshold_value;
	__u32 signal;
	__u32 above;  /* 1 up, 0 down */
	__u32 origin; /* enum evictd_origin */
	__u32 pad;
};
EVICTD_ABI_SIZE(struct evictd_threshold_event, 72);

/* A watched cgroup stalled on memory for longer within a window than Options::stall_notice. */
struct evictd_stall_event {
	struct evictd_event_header header;
	__u32 slot;
	__u32 generation; /* of the slot */
	__u64 stall_ns;	  /* within the window */
	__u64 window_ns;
	__u64 total_ns; /* since the slot has been watched */
};
EVICTD_ABI_SIZE(struct evictd_stall_event, 48);

/* A cgroup at or below a watched root changed. */
struct evictd_cgroup_event {
	struct evictd_event_header header;
	struct evictd_cgroup_key cgroup;
	__u64 parent_id;
	__u64 root_id;	 /* the watched root at or above it */
	__u32 change;	 /* enum evictd_cgroup_change */
	__u32 depth;	 /* 0 the root itself, 1 its children, ... */
	__u32 path_size; /* bytes in path including the final NUL; EVICTD_PATH_LEN: may be cut */
	__u32 pad;
	char path[EVICTD_PATH_LEN]; /* from the hierarchy's root, with a leading slash */
};
EVICTD_ABI_SIZE(struct evictd_cgroup_event, 448);

/* The kernel's OOM killer chose a victim. */
struct evictd_oom_event {
	struct evictd_event_header header;
	struct evictd_cgroup_key memory; /* the victim's own memory cgroup, zero if not readable */
	__u32 pid;			 /* thread group */
	__u32 slot; /* row of the nearest watched cgroup at or above it, EVICTD_NO_SLOT for none */
	char comm[EVICTD_COMM_LEN];
};
EVICTD_ABI_SIZE(struct evictd_oom_event, 56);

/* A value grows so fast that its threshold is likely to be crossed within milliseconds. */
struct evictd_approach_event {
	struct evictd_event_header header;
	struct evictd_cgroup_key cgroup; /* zero for a node signal */
	__u64 distance;			 /* bytes left */
	__u64 rate;			 /* bytes a second, over the last readings */
	__u32 signal;
	__u32 cpu; /* that saw it; with the charge hook, the CPU of the growing task */
};
EVICTD_ABI_SIZE(struct evictd_approach_event, 56);

#define EVICTD_NO_SLOT 0xffffffffU

#endif
