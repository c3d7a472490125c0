/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The plan of a kill that the kernel side may do alone, and what came of it. One at a time. */
#ifndef EVICTD_ABI_BACKSTOP_H
#define EVICTD_ABI_BACKSTOP_H

#include "types.h"

#define EVICTD_BACKSTOP_RIVALS 8
#define EVICTD_BACKSTOP_TASKS  64 /* a power of two */

/* Lowest bits of evictd_backstop.claim; the generation of the plan is above them, so that a program
 * that was interrupted cannot fire the next plan. */
enum evictd_backstop_state {
	EVICTD_BACKSTOP_IDLE = 0,
	EVICTD_BACKSTOP_ARMED = 1, /* by user space, which may write the plan in any other state */
	EVICTD_BACKSTOP_FIRED = 2, /* by the kernel side, which then sends the signals */
	EVICTD_BACKSTOP_TAKEN = 3, /* by user space: it can no longer fire */
};
#define EVICTD_BACKSTOP_STATE_BITS 2
#define EVICTD_BACKSTOP_STATE_MASK 3ULL

/* Bit of a key of the map `compared`: the claim of a plan, where there are no exchanges. The other
 * bits are the lowest of its generation. */
#define EVICTD_BACKSTOP_KEY 0x80000000U

/* Why the kernel side did not fire although the level was reached. */
enum evictd_backstop_spared {
	EVICTD_SPARED_NOT = 0,
	EVICTD_SPARED_BEYOND = 1, /* the value was past its range when first seen */
	EVICTD_SPARED_SLOW = 2,	  /* it moves slower than the plan says */
	EVICTD_SPARED_PODS = 3,	  /* a pod or container appeared, became empty or is gone */
	EVICTD_SPARED_STALE = 4,  /* a counter belongs to another cgroup than planned, or to none */
	EVICTD_SPARED_SMALL = 5,  /* the victim has shrunk: others might go first */
	EVICTD_SPARED_RIVAL = 6,  /* another pod goes first now */
	EVICTD_SPARED_CONTEXT = 7, /* no task of the victim can be signalled from the current one */
	EVICTD_SPARED_REASONS = 8,
};

/* A pod of the comparison, as Contender of userspace/eviction/contender.h. */
struct evictd_contender {
	__s64 exceeds_from;
	__s64 lead;
	__u64 memory_id; /* the cgroup that the slot must have; 0: any */
	__s32 priority;
	__u32 slot;
};
EVICTD_ABI_SIZE(struct evictd_contender, 32);

#define EVICTD_NOT_SENT 1 /* result of a signal that was not tried */

struct evictd_backstop_task {
	__u64 start_ns; /* 0: not found in the victim */
	__u32 pid;	/* thread group, in the initial pid namespace */
	__s32 result;	/* EVICTD_NOT_SENT, 0, or the kernel's error, negative */
};
EVICTD_ABI_SIZE(struct evictd_backstop_task, 16);

struct evictd_backstop {
	__u64 claim; /* generation and enum evictd_backstop_state; changed only by exchanges */
	/* Written by user space while it is not armed. */
	__u64 expires_ktime_ns; /* 0 while nothing is armed: nothing ticks */
	__u64 least_value;	/* it fires while the value is between the two, both included */
	__u64 most_value;
	__u64 from_value; /* at from_ktime_ns, for the speed since */
	__u64 from_ktime_ns;
	__u64 least_rate; /* bytes a second; 0: any */
	__u64 least_working_set;
	__u64 cgroup_events; /* evictd_stats.emitted of EVICTD_EVENT_CGROUP that user space has seen
			      */
	__u32 signal;	     /* enum evictd_signal: working set of a cgroup, or a node's memory */
	__u32 slot;	     /* of the cgroup with the signal */
	__u32 pad;
	__u32 rival_count;
	struct evictd_contender victim; /* its lead is not used */
	struct evictd_contender rivals[EVICTD_BACKSTOP_RIVALS];
	/* Written by the kernel side; user space resets them before it arms. */
	__u64 fired_ktime_ns;
	__u64 fired_value;
	__u32 spared;	      /* enum evictd_backstop_spared: the last reason */
	__s32 current_result; /* as evictd_backstop_task.result, for the task that was running */
	__u32 current_pid;    /* its thread group */
	__u32 task_count;     /* may exceed the array: those beyond are not listed */
	struct evictd_backstop_task tasks[EVICTD_BACKSTOP_TASKS];
};
EVICTD_ABI_SIZE(struct evictd_backstop, 1432);

#endif
