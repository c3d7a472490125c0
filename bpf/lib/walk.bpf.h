/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 5: look at a watch: compare its value with its thresholds, say how soon to look again. */
#ifndef EVICTD_BPF_WALK_H
#define EVICTD_BPF_WALK_H

#include "approach.bpf.h"
#include "emit.bpf.h"
#include "motion.bpf.h"
#include "read.bpf.h"

static __always_inline void emit_threshold(const struct evictd_watch *watch,
					   const struct evictd_threshold *threshold, __u64 value,
					   __u64 now, __u32 above, __u32 origin)
{
	struct evictd_threshold_event *event;

	event = EVICTD_RESERVE(struct evictd_threshold_event, EVICTD_EVENT_THRESHOLD, now);
	if (!event)
		return;
	event->cgroup = watch->cgroup;
	event->threshold_id = threshold->id;
	event->value = value;
	event->threshold_value = threshold->value;
	event->signal = watch->signal;
	event->above = above;
	event->origin = origin;
	event->pad = 0;
	bpf_ringbuf_submit(event, 0);
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

/* True for the one who may compare, until he gives it back. */
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
 * Compares every threshold of `watch` and sets the bounds within which no look needs to.
 *
 * One CPU at a time: two with values read at different moments could report up and down in the
 * wrong order. The one that comes second leaves a mark, and the next look compares again.
 *
 * Order. arm64 may let stores be seen in another order than they were made in. After a plain store
 * of 0 to `busy` the next CPU could take it and still find the states and bounds of before: it
 * would report a crossing a second time, or the way back of one that it does not see. BPF has no
 * release store before 6.15 (BPF_STORE_REL); an exchange is fully ordered in the kernel's memory
 * model, which arm64's JIT makes of it with SWPAL or, without LSE, with LDXR, STLXR and DMB ISH.
 * So whoever finds 0 here sees all that was stored before it, and the exchange that takes `busy`
 * keeps what follows from being read early. On x86 both are XCHG.
 *
 * look_at() reads the bounds without it. Each is one aligned word, so never half of an old and a
 * new one. Old bounds cost a comparison too many, or one that comes with the slow tick that
 * compares whatever the bounds say (COMPARE_ALL_EVERY).
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

#define FALLING_FLOOR_NS                                                                           \
	1000000ULL /* nobody is hurt by learning a little later that it got better */

#define SLOW_PART 8

static __always_inline struct motion watched_motion(void)
{
	struct motion motion = {
	    .fastest_up = cfg_rate_up,
	    .fastest_down = cfg_rate_down,
	    .slow_part = SLOW_PART,
	    .near = cfg_near_bytes,
	    .batch = CHARGE_BATCH_PAGES << cfg_page_shift,
	    .floor_up_ns = cfg_floor_ns,
	    .floor_down_ns = FALLING_FLOOR_NS,
	    .rest_ns = cfg_kick_window_ns,
	};

	return motion;
}

/* Speed of the watched value over the last looks, bytes a second. */
static __always_inline void update_rate(struct evictd_watch *watch, __u64 value, __u64 now)
{
	__u64 elapsed = now - watch->value_ktime_ns;
	struct motion motion = watched_motion();

	if ((__s64)elapsed < (__s64)SPEED_WINDOW_NS)
		return;
	watch->rate = damped(speed_between(&motion, watch->value, value, elapsed), watch->rate);
	watch->growth = growth_between(&motion, watch->value, value, elapsed, watch->growth);
	watch->value = value;
	watch->value_ktime_ns = now;
}

#define HUGE_PAGE_BYTES	      (2ULL << 20)
#define HUGE_PAGE_BYTES_PER_S 4000000000ULL /* no CPU fills 4 KiB pages this fast */

/*
 * How soon a threshold can be reached (motion.bpf.h). A huge page is charged at once, so where
 * growth is that fast, what is nearer than one of them is as near as can be.
 */
static __always_inline __u64 time_to_threshold(const struct evictd_watch *watch, __u64 value)
{
	__u64 up = watch->upper == EVICTD_NEVER ? EVICTD_NEVER : minus_floored(watch->upper, value);
	__u64 down = watch->lower ? minus_floored(value, watch->lower) : EVICTD_NEVER;
	struct motion motion = watched_motion();
	__u64 time = time_to_bound(&motion, up, down, watch->rate);

	if (time != EVICTD_NEVER && down >= up && watch->growth >= HUGE_PAGE_BYTES_PER_S &&
	    up <= HUGE_PAGE_BYTES)
		return motion.floor_up_ns;
	return time;
}

/*
 * One look at one watch: read, compare, report what was crossed. Returns the time until it should
 * be looked at again if it keeps moving, EVICTD_NEVER when no threshold is near or it counts tasks
 * (forks are all seen, so there is nothing between two looks) or the reserve (looked at often
 * enough while something is charged, and a horizon ahead).
 */
__weak __noinline __u64 look_at(__u32 index, __u64 now, __u32 origin)
{
	struct evictd_watch *watch = bpf_map_lookup_elem(&watches, &index);
	__u64 value = 0;

	if (!watch || !read_watch(watch, now, &value))
		return EVICTD_NEVER;
	update_rate(watch, value, now);
	if (watch->force || value > watch->upper || value < watch->lower ||
	    origin == EVICTD_ORIGIN_RESYNC)
		compare(index, watch, value, now, origin);
	if (watch->signal == EVICTD_SIGNAL_CGROUP_TASKS ||
	    watch->signal == EVICTD_SIGNAL_NODE_TASKS ||
	    watch->signal == EVICTD_SIGNAL_NODE_RESERVE)
		return EVICTD_NEVER;
	note_approach(watch, value, now);
	return time_to_threshold(watch, value);
}

#endif
