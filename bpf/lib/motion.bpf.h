/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 2: how fast a value moves, and how soon it can reach a bound. */
#ifndef EVICTD_BPF_MOTION_H
#define EVICTD_BPF_MOTION_H

#include "compat.bpf.h"

/* A charge batch moves usage by so much at once: over a shorter time the speed would be a spike. */
#define SPEED_WINDOW_NS	   200000ULL
#define CHARGE_BATCH_PAGES 64ULL /* MEMCG_CHARGE_BATCH */

/* How values can move, and how closely it is worth being followed. Speeds are units a second. */
struct motion {
	__u64 fastest_up;
	__u64 fastest_down;
	__u64 slow_part; /* what is slower than such a part of the fastest is taken for as fast */
	__u64 near;	 /* a bound that is farther waits for the hooks */
	__u64 batch;	 /* a value moves by so much at once */
	__u64 floor_up_ns;
	__u64 floor_down_ns;
	__u64 rest_ns; /* after such a pause nothing is known, and the fastest is assumed */
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

/* Speed upwards alone, of which a rest leaves nothing. `before`: at the last look. */
static __always_inline __u64 growth_between(const struct motion *motion, __u64 from, __u64 to,
					    __u64 elapsed, __u64 before)
{
	__u64 speed;

	if (elapsed > motion->rest_ns)
		return 0;
	speed = speed_between(motion, from, to, elapsed);
	return to > from && speed > before / 2 ? speed : before / 2;
}

/* Halves while the value stands still. */
static __always_inline __u64 damped(__u64 speed, __u64 before)
{
	return speed > before / 2 ? speed : before / 2;
}

/*
 * How soon a bound can be reached that is `up` above the value or `down` below it (EVICTD_NEVER:
 * there is none): distance / speed, where the speed is twice what was seen lately, but between a
 * part and all of the fastest possible. EVICTD_NEVER: none is near.
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
