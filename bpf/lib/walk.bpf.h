/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 4: look at a watch: compare its value with its thresholds, say how soon to look again. */
#ifndef EVICTD_BPF_WALK_H
#define EVICTD_BPF_WALK_H

#include "emit.bpf.h"
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

/*
 * Compares every threshold of `watch` and sets the bounds within which no look needs to.
 *
 * One CPU at a time: two with values read at different moments could report up and down in the
 * wrong order. The one that comes second leaves a mark, and the next look compares again.
 */
static __noinline void compare(struct evictd_watch *watch, __u64 value, __u64 now, __u32 origin)
{
	struct comparison c = {
	    .watch = watch,
	    .value = value,
	    .now = now,
	    .upper = EVICTD_NEVER,
	    .lower = 0,
	    .origin = origin,
	};

	if (__sync_lock_test_and_set(&watch->busy, 1)) {
		watch->force = 1;
		return;
	}
	watch->force = 0;
	bpf_loop(watch->count, compare_one, &c, 0);
	watch->upper = c.upper;
	watch->lower = c.lower;
	watch->busy = 0;
}

/* A charge batch moves usage by 64 pages at once: over a shorter time the speed would be a spike.
 */
#define RATE_WINDOW_NS 200000ULL
#define FALLING_FLOOR_NS                                                                           \
	1000000ULL		 /* nobody is hurt by learning a little later that it got better */
#define CHARGE_BATCH_PAGES 64ULL /* MEMCG_CHARGE_BATCH */

/* Speed of the watched value over the last looks, bytes a second; halves while it stands still.
 * After a pause nothing is known, and the fastest is assumed. */
static __always_inline void update_rate(struct evictd_watch *watch, __u64 value, __u64 now)
{
	__u64 elapsed = now - watch->value_ktime_ns;
	__u64 change = value > watch->value ? value - watch->value : watch->value - value;
	__u64 rate;

	if (elapsed < RATE_WINDOW_NS)
		return;
	if (change > 8ULL << 30) /* the product below must fit 64 bits */
		change = 8ULL << 30;
	rate = elapsed > cfg_kick_window_ns ? cfg_rate_down : change * NSEC_PER_SEC / elapsed;
	watch->rate = rate > watch->rate / 2 ? rate : watch->rate / 2;
	if (elapsed > cfg_kick_window_ns)
		watch->growth = 0;
	else if (value > watch->value && rate > watch->growth / 2)
		watch->growth = rate;
	else
		watch->growth /= 2;
	watch->value = value;
	watch->value_ktime_ns = now;
}

#define HUGE_PAGE_BYTES	      (2ULL << 20)
#define HUGE_PAGE_BYTES_PER_S 4000000000ULL /* no CPU fills 4 KiB pages this fast */

/*
 * How soon a threshold can be reached: distance / rate, where the rate is twice what was seen
 * lately, but between a sixteenth and all of the fastest possible. A huge page is charged at once,
 * so where growth is that fast, what is nearer than one of them is as near as can be.
 * EVICTD_NEVER: nothing near.
 */
static __always_inline __u64 time_to_threshold(const struct evictd_watch *watch, __u64 value)
{
	__u64 up = watch->upper == EVICTD_NEVER ? EVICTD_NEVER : minus_floored(watch->upper, value);
	__u64 down = watch->lower ? minus_floored(value, watch->lower) : EVICTD_NEVER;
	bool falling = down < up;
	__u64 distance = falling ? down : up;
	__u64 fastest = falling ? cfg_rate_down : cfg_rate_up;
	__u64 rate = watch->rate * 2;
	__u64 floor;

	if (distance > cfg_near_bytes)
		return EVICTD_NEVER;
	if (rate > fastest)
		rate = fastest;
	if (rate < fastest / 8)
		rate = fastest / 8;
	if (distance < CHARGE_BATCH_PAGES << cfg_page_shift)
		distance = CHARGE_BATCH_PAGES << cfg_page_shift;
	distance = distance * NSEC_PER_SEC / (rate ? rate : 1);
	floor = falling ? FALLING_FLOOR_NS : cfg_floor_ns;
	if (!falling && watch->growth >= HUGE_PAGE_BYTES_PER_S && up <= HUGE_PAGE_BYTES)
		return floor;
	return distance > floor ? distance : floor;
}

/*
 * Reports are hints that cost the hot thread a wake-up: 10 a second, whoever grows, of which a few
 * may come close together. A task that lost its CPU on the way to a threshold goes on long after
 * the hot thread has ceased to wait for it, and is worth a second hint then, but none before.
 */
#define APPROACH_INTERVAL_NS 100000000ULL
#define APPROACHES_SAVED     3
#define APPROACH_PAUSE_NS    3000000ULL

static __always_inline bool may_note_approach(__u64 now)
{
	__u64 paid_until = approach_paid_until_ktime_ns;

	if (now - approach_ktime_ns < APPROACH_PAUSE_NS ||
	    paid_until > now + (APPROACHES_SAVED - 1) * APPROACH_INTERVAL_NS)
		return false;
	approach_ktime_ns = now;
	approach_paid_until_ktime_ns = (paid_until > now ? paid_until : now) + APPROACH_INTERVAL_NS;
	return true;
}

/* Tells the hot thread to get ready when the threshold is only cfg_approach_ns away. */
static __always_inline void note_approach(const struct evictd_watch *watch, __u64 value, __u64 now)
{
	struct evictd_approach_event *event;
	__u64 distance;

	if (watch->upper == EVICTD_NEVER || value >= watch->upper)
		return;
	distance = watch->upper - value;
	if (distance > watch->growth * (cfg_approach_ns / 1000) / 1000000 ||
	    !may_note_approach(now))
		return;
	event = EVICTD_RESERVE(struct evictd_approach_event, EVICTD_EVENT_APPROACH, now);
	if (!event)
		return;
	event->cgroup = watch->cgroup;
	event->distance = distance;
	event->rate = watch->growth;
	event->signal = watch->signal;
	event->cpu = bpf_get_smp_processor_id();
	bpf_ringbuf_submit(event, 0);
}

/*
 * One look at one watch: read, compare, report what was crossed. Returns the time until it should
 * be looked at again if it keeps moving, EVICTD_NEVER when no threshold is near or it counts tasks
 * (forks are all seen, so there is nothing between two looks).
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
		compare(watch, value, now, origin);
	if (watch->signal == EVICTD_SIGNAL_CGROUP_TASKS ||
	    watch->signal == EVICTD_SIGNAL_NODE_TASKS)
		return EVICTD_NEVER;
	note_approach(watch, value, now);
	return time_to_threshold(watch, value);
}

#endif
