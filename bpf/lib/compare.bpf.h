/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 4: compares the value of a watch with its thresholds, and reports crossings. */
#ifndef EVICTD_BPF_COMPARE_H
#define EVICTD_BPF_COMPARE_H

#include "emit.bpf.h"

static __always_inline void emit_threshold(const struct evictd_watch *watch,
					   const struct evictd_threshold *threshold, __u64 value,
					   __u64 now, __u32 above, __u32 origin)
{
	EVICTD_EMIT(struct evictd_threshold_event, EVICTD_EVENT_THRESHOLD, now,
		    .cgroup = watch->cgroup, .threshold_id = threshold->id, .value = value,
		    .threshold_value = threshold->value, .signal = watch->signal, .above = above,
		    .origin = origin);
}

struct comparison {
	struct evictd_watch *watch;
	__u64 value;
	__u64 now;
	__u64 upper;
	__u64 lower;
	__u32 origin;
};

static long compare_one(__u32 i, struct comparison *c)
{
	__u32 index = c->watch->first + i;
	struct evictd_threshold *threshold = bpf_map_lookup_elem(&thresholds, &index);
	__u32 old, next;
	__u64 floor;

	if (!threshold)
		return 1;
	old = threshold->state;
	next = old;
	floor = minus_floored(threshold->value, threshold->hysteresis);
	if (c->value > threshold->value)
		next = EVICTD_THRESHOLD_ABOVE;
	else if (c->value <= floor || old == EVICTD_THRESHOLD_UNKNOWN)
		next = EVICTD_THRESHOLD_BELOW;

	if (next != old)
		threshold->state = next;
	if (c->origin == EVICTD_ORIGIN_RESYNC ||
	    (next != old && (next == EVICTD_THRESHOLD_ABOVE || old == EVICTD_THRESHOLD_ABOVE)))
		emit_threshold(c->watch, threshold, c->value, c->now,
			       next == EVICTD_THRESHOLD_ABOVE, c->origin);

	if (next == EVICTD_THRESHOLD_ABOVE) {
		if (floor + 1 > c->lower)
			c->lower = floor + 1;
	} else if (threshold->value < c->upper) {
		c->upper = threshold->value;
	}
	return 0;
}

/* True for the CPU that may compare, until it releases the watch. */
static __always_inline bool take(__u32 index, struct evictd_watch *watch)
{
#ifdef EVICTD_BOUNDED
	__u32 one = 1;

	/* Under the lock of the entry's bucket, as the removal is. Also false if all entries are in
	 * use, which takes more CPUs than there are entries. */
	return !bpf_map_update_elem(&compared, &index, &one, BPF_NOEXIST);
#else
	return !__sync_lock_test_and_set(&watch->busy, 1);
#endif
}

static __always_inline void give_back(__u32 index, struct evictd_watch *watch)
{
#ifdef EVICTD_BOUNDED
	bpf_map_delete_elem(&compared, &index);
#else
	__sync_lock_test_and_set(&watch->busy, 0);
#endif
}

/*
 * Compares every threshold of `watch`, and sets the bounds within which a check need not compare.
 *
 * One CPU at a time: two CPUs with values of different times could report up and down in the wrong
 * order. The second one leaves a mark, and the next check compares again.
 *
 * Order. arm64 may make stores visible in another order. After a plain store of 0 to `busy`, the
 * next CPU could take it and still find the old states and bounds. It would report a crossing
 * twice, or the way back of a crossing that it does not see. BPF has no release store before 6.15
 * (BPF_STORE_REL). An exchange is fully ordered in the kernel's memory model; arm64's JIT
 * implements it with SWPAL or, without LSE, with LDXR, STLXR and DMB ISH. So a CPU that finds 0
 * here sees all earlier stores, and the exchange that takes `busy` prevents early reads of what
 * follows. On x86 both are XCHG.
 *
 * look_at() reads the bounds without the lock. Each is one aligned word, never half old and half
 * new. Old bounds cost an unnecessary comparison, or delay one until the slow tick that compares
 * despite the bounds (COMPARE_ALL_EVERY).
 */
static __noinline void compare(__u32 index, struct evictd_watch *watch, __u64 value, __u64 now,
			       __u32 origin)
{
	struct comparison c = {
	    .watch = watch,
	    .value = value,
	    .now = now,
	    .upper = EVICTD_NEVER,
	    .lower = 0,
	    .origin = origin,
	};

	if (!take(index, watch)) {
		watch->force = 1;
		return;
	}
	watch->force = 0;
	EVICTD_REPEAT(watch->count, EVICTD_MAX_THRESHOLDS, compare_one, &c);
	watch->upper = c.upper;
	watch->lower = c.lower;
	give_back(index, watch);
}

#endif
