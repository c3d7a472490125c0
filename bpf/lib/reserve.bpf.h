/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layer 3: what the kernel itself can still give, and how fast that falls.
 *
 * As si_mem_available() has it, but down to the min watermarks, which is where only the kernel
 * itself goes on, and with free swap: a slot is worth what a page that goes there frees.
 */
#ifndef EVICTD_BPF_RESERVE_H
#define EVICTD_BPF_RESERVE_H

#include "maps.bpf.h"
#include "node.bpf.h"

/* A rate over less would be a charge batch's; one over more comes too late. */
#define RESERVE_WINDOW_NS 10000000ULL

/* A value is looked at so often while something is charged. */
#define RESERVE_LOOK_NS 1000000ULL

static __always_inline __u64 less_kept(__u64 pages)
{
	__u64 half = pages / 2;

	return pages - (half < guard.low_pages ? half : guard.low_pages);
}

/* Free slots, by what a page that goes there frees. */
static __always_inline __u64 swap_pages(void)
{
	__u64 slots = nr_swap_pages_address ? pages_from(read_u64(nr_swap_pages_address)) : 0;

	return slots * guard.swap_per_1024 >> 10;
}

/* Without swap. */
static __always_inline __u64 reserve_pages(const struct at_hand *pages)
{
	return minus_floored(pages->free, guard.min_pages) + less_kept(pages->file) +
	       less_kept(pages->slab);
}

static __always_inline __u64 lesser(__u64 a, __u64 b)
{
	return a < b ? a : b;
}

static __always_inline __u64 fall_per_second(__u64 fall, __u64 elapsed)
{
	if (fall > 8ULL << 30) /* the product below must fit 64 bits */
		fall = 8ULL << 30;
	return lesser(fall * NSEC_PER_SEC / elapsed, cfg_rate_up);
}

/*
 * The rate is of what is at hand as it is, not of what is left of it above the marks: a page that
 * moves from one list to another is no fall. It is the smaller one of two windows, so that a single
 * step (swapoff, huge pages set aside) is none either. Two CPUs at once may measure one window
 * twice, or an empty one: the next one is right again.
 */
static __always_inline void update_reserve(const struct at_hand *pages, __u64 now)
{
	__u64 swap = swap_pages();
	__u64 sum = (pages->free + pages->file + pages->slab + swap) << cfg_page_shift;
	__u64 elapsed = now - node.reserve_from_ktime_ns;
	__u64 rate;

	node.reserve_bytes = (reserve_pages(pages) + swap) << cfg_page_shift;
	if (node.reserve_generation != guard.generation) {
		/* Of other terms: no fall. */
		node.reserve_generation = guard.generation;
		node.reserve_last_rate = 0;
		node.reserve_rate = 0;
	} else if ((__s64)elapsed < (__s64)RESERVE_WINDOW_NS) {
		return;
	} else {
		rate = fall_per_second(minus_floored(node.reserve_from_bytes, sum), elapsed);
		node.reserve_rate = lesser(rate, node.reserve_last_rate);
		node.reserve_last_rate = rate;
	}
	node.reserve_from_bytes = sum;
	node.reserve_from_ktime_ns = now;
}

/* What will be taken within the horizon. */
static __always_inline __u64 reserve_needed(void)
{
	__u64 per_ms = node.reserve_rate / 1000;
	__u64 needed = per_ms * (guard.horizon_ns / 1000000);
	__u64 tight = per_ms * (guard.tight_horizon_ns / 1000000);
	__u64 low = guard.low_pages << cfg_page_shift;

	if (tight > low)
		tight = low;
	return needed > tight ? needed : tight;
}

static __always_inline bool reserve_is_known(void)
{
	return node.zones && guard.min_pages;
}

/* Whether it is time for a look, which is then this caller's. */
static __always_inline bool guard_takes_a_look(__u64 now)
{
	if ((__s64)(now - guard_look_ktime_ns) < (__s64)RESERVE_LOOK_NS)
		return false;
	guard_look_ktime_ns = now;
	return true;
}

#endif
