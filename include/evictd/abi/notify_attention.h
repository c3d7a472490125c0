/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Whom the timer of notifications follows, for how long, and when user space is told to stay awake:
 * what its kernel programs decide by, without the kernel. Times are nanoseconds.
 */
#ifndef EVICTD_ABI_NOTIFY_ATTENTION_H
#define EVICTD_ABI_NOTIFY_ATTENTION_H

#include "types.h"

/* A row that is not near an edge is followed for so long after its last kick or move. */
#define EVICTD_NOTIFY_KICK_WINDOW_NS 10000000ULL
/* One that is near: a task on its way there loses its CPU for tens of milliseconds where there are
 * others, and one that grows slowly stands still between two of its charge batches. No hook speaks
 * before the next page table, which may be beyond the edge. */
#define EVICTD_NOTIFY_NEAR_WINDOW_NS 1000000000ULL
/* Looks at a row that moves, but is not near; and the sparsest at one that is near. */
#define EVICTD_NOTIFY_MOVING_PERIOD_NS 5000000ULL
/* Looks at a near row that stands still grow apart: so many in the time that it has stood. */
#define EVICTD_NOTIFY_REST_LOOKS 32

/* `period`: how soon the edge can be reached, EVICTD_NOTIFY_MOVING_PERIOD_NS or more for not near.
 */
static inline int evictd_notify_is_near(__u64 period)
{
	return period < EVICTD_NOTIFY_MOVING_PERIOD_NS;
}

/* Whether the next charge of a value that grows may be the one that passes the edge `up` above it:
 * it moves by a `batch` at once, and a look between two of them learns nothing but that. */
static inline int evictd_notify_is_last_stretch(__u64 up, __u64 batch, __u64 growth)
{
	return growth && up <= batch;
}

/* So many looks in the time that a batch takes, between these bounds. */
#define EVICTD_NOTIFY_STRETCH_LOOKS  16
#define EVICTD_NOTIFY_STRETCH_MIN_NS 20000ULL
#define EVICTD_NOTIFY_STRETCH_MAX_NS 128000ULL

/* When to look again on the last stretch; `growth` is not 0. */
static inline __u64 evictd_notify_stretch_look(__u64 batch, __u64 growth)
{
	__u64 period = batch * 1000000000ULL / growth / EVICTD_NOTIFY_STRETCH_LOOKS;

	if (period < EVICTD_NOTIFY_STRETCH_MIN_NS) {
		return EVICTD_NOTIFY_STRETCH_MIN_NS;
	}
	return period < EVICTD_NOTIFY_STRETCH_MAX_NS ? period : EVICTD_NOTIFY_STRETCH_MAX_NS;
}

/*
 * A row may want so many looks one soon after the other, which is enough for any way to an edge; of
 * one that then still moves below its edge without passing it, a look in this interval is enough.
 * So it does not use up what all rows share (notify_kick.bpf.h).
 */
#define EVICTD_NOTIFY_LOOKS_SAVED      128
#define EVICTD_NOTIFY_LOOK_INTERVAL_NS 10000000ULL

struct evictd_notify_looks {
	__u64 due_ns; /* when it wants the next one */
	__u64 paid_until_ns;
};
EVICTD_ABI_SIZE(struct evictd_notify_looks, 16);

/* In what time the tick comes that a row gets which was looked at `now` and wants to be looked at
 * again in `period`; ~0 for not at all, which costs it nothing. */
static inline __u64 evictd_notify_wait(struct evictd_notify_looks *looks, __u64 now, __u64 period)
{
	const __u64 saved = (EVICTD_NOTIFY_LOOKS_SAVED - 1) * EVICTD_NOTIFY_LOOK_INTERVAL_NS;
	__u64 paid = looks->paid_until_ns > now ? looks->paid_until_ns : now;
	__u64 due = looks->due_ns > now ? looks->due_ns - now : 0;

	if (period == ~0ULL) {
		return period;
	}
	if (due && paid - now > saved) {
		/* This look was another one's and does as well as its own, which is paid for. */
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

/* It has passed an edge: the way to the next one begins. */
static inline void evictd_notify_way_begins(struct evictd_notify_looks *looks)
{
	looks->due_ns = 0;
	looks->paid_until_ns = 0;
}

/* Whether a row that has stood still for `rest` is still looked at between two slow ticks. */
static inline int evictd_notify_is_followed(__u64 period, __u64 rest)
{
	return rest <= (evictd_notify_is_near(period) ? EVICTD_NOTIFY_NEAR_WINDOW_NS
						      : EVICTD_NOTIFY_KICK_WINDOW_NS);
}

/* When to look at it again. Never longer than EVICTD_NOTIFY_MOVING_PERIOD_NS for a near one. */
static inline __u64 evictd_notify_next_look(__u64 period, __u64 rest)
{
	__u64 sparse = rest / EVICTD_NOTIFY_REST_LOOKS;

	if (!evictd_notify_is_near(period) || sparse <= period) {
		return period;
	}
	return sparse < EVICTD_NOTIFY_MOVING_PERIOD_NS ? sparse : EVICTD_NOTIFY_MOVING_PERIOD_NS;
}

/* An edge that is likely to be passed within this time is worth a hint. */
#define EVICTD_NOTIFY_HINT_NS 1000000ULL
/* Hints cost their reader a wake-up and some waiting: so many a second in any steady state, of
 * which a few may come one after the other, but none while the reader still waits for the last. */
#define EVICTD_NOTIFY_HINT_INTERVAL_NS 100000000ULL
#define EVICTD_NOTIFY_HINTS_SAVED      3
#define EVICTD_NOTIFY_HINT_PAUSE_NS    2000000ULL

struct evictd_notify_hints {
	__u64 last_ns;
	__u64 paid_until_ns;
};
EVICTD_ABI_SIZE(struct evictd_notify_hints, 16);

/* How far off in time an edge is that lies `distance` (2^34 at most) above a value that grows by
 * `growth` a second; ~0 for never. */
static inline __u64 evictd_notify_time_away(__u64 distance, __u64 growth)
{
	return growth ? distance * 1000000000ULL / growth : ~0ULL;
}

/* Pays for one hint, or refuses (0). */
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
