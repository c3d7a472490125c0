/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which rows the notification timer follows, for how long, and when it tells user space to stay
 * awake. The rules of the kernel programs, testable without a kernel. Times are nanoseconds.
 */
#ifndef EVICTD_ABI_NOTIFY_ATTENTION_H
#define EVICTD_ABI_NOTIFY_ATTENTION_H

#include "types.h"

/* How long a row that is not near an edge is followed after its last kick or move. */
#define EVICTD_NOTIFY_KICK_WINDOW_NS 10000000ULL
/* The same for a row near an edge. A growing task may lose its CPU to others for tens of
 * milliseconds; a slowly growing one pauses between two charge batches. No hook runs before the
 * next page table, which may be beyond the edge. */
#define EVICTD_NOTIFY_NEAR_WINDOW_NS 1000000000ULL
/* Period of checks of a row that moves but is not near; also the longest period of a near row. */
#define EVICTD_NOTIFY_MOVING_PERIOD_NS 5000000ULL
/* Checks of a near row that rests become rarer: this many in the time that it has rested. */
#define EVICTD_NOTIFY_REST_LOOKS 32

/* `period`: earliest time to the edge; EVICTD_NOTIFY_MOVING_PERIOD_NS or more means not near. */
static inline int evictd_notify_is_near(__u64 period)
{
	return period < EVICTD_NOTIFY_MOVING_PERIOD_NS;
}

/* Whether the next charge of a growing value may pass the edge `up` above it. The value moves by a
 * whole `batch`; a check between two batches learns nothing else. */
static inline int evictd_notify_is_last_stretch(__u64 up, __u64 batch, __u64 growth)
{
	return growth && up <= batch;
}

/* Checks in the time that one batch takes, and the bounds of their period. */
#define EVICTD_NOTIFY_STRETCH_LOOKS  16
#define EVICTD_NOTIFY_STRETCH_MIN_NS 20000ULL
#define EVICTD_NOTIFY_STRETCH_MAX_NS 128000ULL

/* Time until the next check on the last stretch; `growth` is not 0. */
static inline __u64 evictd_notify_stretch_look(__u64 batch, __u64 growth)
{
	__u64 period = batch * 1000000000ULL / growth / EVICTD_NOTIFY_STRETCH_LOOKS;

	if (period < EVICTD_NOTIFY_STRETCH_MIN_NS) {
		return EVICTD_NOTIFY_STRETCH_MIN_NS;
	}
	return period < EVICTD_NOTIFY_STRETCH_MAX_NS ? period : EVICTD_NOTIFY_STRETCH_MAX_NS;
}

/*
 * A row may have this many checks in quick succession, which is enough for any approach to an edge.
 * A row that keeps moving below its edge afterwards gets one check per interval, so that it does
 * not use up the budget that all rows share (notify_kick.bpf.h).
 */
#define EVICTD_NOTIFY_LOOKS_SAVED      128
#define EVICTD_NOTIFY_LOOK_INTERVAL_NS 10000000ULL

struct evictd_notify_looks {
	__u64 due_ns; /* when the row wants its next check */
	__u64 paid_until_ns;
};
EVICTD_ABI_SIZE(struct evictd_notify_looks, 16);

/* Time until the tick of a row that was checked at `now` and wants its next check in `period`.
 * ~0: no tick, which costs the row nothing. */
static inline __u64 evictd_notify_wait(struct evictd_notify_looks *looks, __u64 now, __u64 period)
{
	const __u64 saved = (EVICTD_NOTIFY_LOOKS_SAVED - 1) * EVICTD_NOTIFY_LOOK_INTERVAL_NS;
	__u64 paid = looks->paid_until_ns > now ? looks->paid_until_ns : now;
	__u64 due = looks->due_ns > now ? looks->due_ns - now : 0;

	if (period == ~0ULL) {
		return period;
	}
	if (due && paid - now > saved) {
		/* Another row caused this check; it replaces the row's own, which is paid for. */
		due = EVICTD_NOTIFY_LOOK_INTERVAL_NS;
		looks->due_ns = now + due;
		return due;
	}
	if (due && due <= period) {
		return due;
	}
	if (paid - now > saved && paid - now - saved > period) {
		period = paid - now - saved;
	}
	looks->paid_until_ns = paid + EVICTD_NOTIFY_LOOK_INTERVAL_NS;
	looks->due_ns = now + period;
	return period;
}

/* The row has passed an edge: resets its budget for the approach to the next one. */
static inline void evictd_notify_way_begins(struct evictd_notify_looks *looks)
{
	looks->due_ns = 0;
	looks->paid_until_ns = 0;
}

/* Whether a row that has rested for `rest` is still checked between two slow ticks. */
static inline int evictd_notify_is_followed(__u64 period, __u64 rest)
{
	return rest <= (evictd_notify_is_near(period) ? EVICTD_NOTIFY_NEAR_WINDOW_NS
						      : EVICTD_NOTIFY_KICK_WINDOW_NS);
}

/* Time until its next check; at most EVICTD_NOTIFY_MOVING_PERIOD_NS for a near row. */
static inline __u64 evictd_notify_next_look(__u64 period, __u64 rest)
{
	__u64 sparse = rest / EVICTD_NOTIFY_REST_LOOKS;

	if (!evictd_notify_is_near(period) || sparse <= period) {
		return period;
	}
	return sparse < EVICTD_NOTIFY_MOVING_PERIOD_NS ? sparse : EVICTD_NOTIFY_MOVING_PERIOD_NS;
}

/* An edge that is likely to be passed within this time causes a hint. */
#define EVICTD_NOTIFY_HINT_NS 1000000ULL
/* A hint costs its reader a wake-up and some busy waiting. Steady state: one per interval. A few
 * may follow each other, but none while the reader still waits for the last one. */
#define EVICTD_NOTIFY_HINT_INTERVAL_NS 100000000ULL
#define EVICTD_NOTIFY_HINTS_SAVED      3
#define EVICTD_NOTIFY_HINT_PAUSE_NS    2000000ULL

struct evictd_notify_hints {
	__u64 last_ns;
	__u64 paid_until_ns;
};
EVICTD_ABI_SIZE(struct evictd_notify_hints, 16);

/* Time until a value that grows by `growth` a second passes an edge `distance` (at most 2^34) above
 * it; ~0 for never. */
static inline __u64 evictd_notify_time_away(__u64 distance, __u64 growth)
{
	return growth ? distance * 1000000000ULL / growth : ~0ULL;
}

/* Pays for one hint; returns 0 if the budget is used up. */
static inline int evictd_notify_pay_hint(struct evictd_notify_hints *hints, __u64 now)
{
	__u64 paid = hints->paid_until_ns;

	if (now < hints->last_ns + EVICTD_NOTIFY_HINT_PAUSE_NS ||
	    paid > now + (EVICTD_NOTIFY_HINTS_SAVED - 1) * EVICTD_NOTIFY_HINT_INTERVAL_NS) {
		return 0;
	}
	hints->last_ns = now;
	hints->paid_until_ns = (paid > now ? paid : now) + EVICTD_NOTIFY_HINT_INTERVAL_NS;
	return 1;
}

#endif
