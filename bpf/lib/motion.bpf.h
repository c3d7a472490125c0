/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 2: speed of a value, and the shortest time to a bound. */
#ifndef EVICTD_BPF_MOTION_H
#define EVICTD_BPF_MOTION_H

#include "compat.bpf.h"

/* A charge batch moves usage in one step: over a shorter time the speed would be a spike. */
#define SPEED_WINDOW_NS	   200000ULL
#define CHARGE_BATCH_PAGES 64ULL /* MEMCG_CHARGE_BATCH */

/* How values can move, and how closely they are followed. Speeds are units a second. */
struct motion {
	__u64 fastest_up;
	__u64 fastest_down;
	__u64 slow_part; /* assumed speed is at least this part of the fastest */
	__u64 near;	 /* only bounds within this distance need the timer */
	__u64 batch;	 /* smallest step of a value */
	__u64 floor_up_ns;
	__u64 floor_down_ns;
	__u64 rest_ns; /* after such a pause the fastest speed is assumed */
};

static __always_inline __u64 speed_between(const struct motion *motion, __u64 from, __u64 to,
					   __u64 elapsed)
{
	__u64 change = to > from ? to - from : from - to;

	if (elapsed > motion->rest_ns)
		return motion->fastest_down;
	if (change > 8ULL << 30) /* the product below must fit 64 bits */
		change = 8ULL << 30;
	return change * NSEC_PER_SEC / elapsed;
}

/* Speed upwards only; a rest resets it. `before`: at the last check. */
static __always_inline __u64 growth_between(const struct motion *motion, __u64 from, __u64 to,
					    __u64 elapsed, __u64 before)
{
	__u64 speed;

	if (elapsed > motion->rest_ns)
		return 0;
	speed = speed_between(motion, from, to, elapsed);
	return to > from && speed > before / 2 ? speed : before / 2;
}

/* Halves while the value rests. */
static __always_inline __u64 damped(__u64 speed, __u64 before)
{
	return speed > before / 2 ? speed : before / 2;
}

/*
 * Shortest time to a bound `up` above the value or `down` below it (EVICTD_NEVER: no such bound):
 * distance / speed. The speed is twice the last one, but between a part and all of the fastest
 * possible. Returns EVICTD_NEVER if no bound is near.
 */
static __always_inline __u64 time_to_bound(const struct motion *motion, __u64 up, __u64 down,
					   __u64 seen)
{
	bool falling = down < up;
	__u64 distance = falling ? down : up;
	__u64 fastest = falling ? motion->fastest_down : motion->fastest_up;
	__u64 floor = falling ? motion->floor_down_ns : motion->floor_up_ns;
	__u64 speed = seen * 2;

	if (distance > motion->near)
		return EVICTD_NEVER;
	if (speed > fastest)
		speed = fastest;
	if (speed < fastest / motion->slow_part)
		speed = fastest / motion->slow_part;
	if (distance < motion->batch)
		distance = motion->batch;
	distance = distance * NSEC_PER_SEC / (speed ? speed : 1);
	return distance > floor ? distance : floor;
}

#endif
