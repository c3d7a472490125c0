/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 3: speed of a watch's value, and the shortest time to a threshold. */
#ifndef EVICTD_BPF_RATE_H
#define EVICTD_BPF_RATE_H

#include "maps.bpf.h"
#include "motion.bpf.h"

#define FALLING_FLOOR_NS 1000000ULL /* a late report of a recovery does no harm */

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

/* Speed of the watched value over the last checks, bytes a second. */
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
 * Shortest time to a threshold (motion.bpf.h). A huge page is charged in one step: at such growth,
 * any distance below one huge page counts as zero.
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

#endif
