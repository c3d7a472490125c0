/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layer 3: the reserve, which the kernel can still allocate, and how fast it falls.
 *
 * As si_mem_available(), but down to the min watermarks, below which only the kernel itself
 * allocates, and with free swap: a slot is worth what a page that moves there frees.
 */
#ifndef EVICTD_BPF_RESERVE_H
#define EVICTD_BPF_RESERVE_H

#include "maps.bpf.h"
#include "node.bpf.h"

/* A shorter window would measure a single charge batch; a longer one reacts too late. */
#define RESERVE_WINDOW_NS 10000000ULL

/* Period of checks of the reserve while memory is being charged. */
#define RESERVE_LOOK_NS 1000000ULL

static __always_inline __u64 less_kept(__u64 pages)
{
	__u64 half = pages / 2;

	return pages - (half < guard.low_pages ? half : guard.low_pages);
}

/* Free swap slots, weighted by what a page that moves there frees. */
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
 * The rate is that of all memory at hand, not only of the part above the watermarks: a page that
 * moves from one list to another is not a fall. It is the smaller rate of two windows, so that a
 * single step (swapoff, reserved huge pages) is not a fall either. Two CPUs at once may measure one
 * window twice, or an empty one: the next window is correct again.
 */
static __always_inline void update_reserve(const struct at_hand *pages, __u64 now)
{
	__u64 swap = swap_pages();
	__u64 sum = (pages->free + pages->file + pages->slab + swap) << cfg_page_shift;
	__u64 elapsed = now - node.reserve_from_ktime_ns;
	__u64 rate;

	node.reserve_bytes = (reserve_pages(pages) + swap) << cfg_page_shift;
	if (node.reserve_generation != guard.generation) {
		/* Other terms applied before: not a fall. */
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

/* Expected loss within the horizon. */
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

/* Whether a check is due; it then belongs to this caller. */
static __always_inline bool guard_takes_a_look(__u64 now)
{
	if ((__s64)(now - guard_look_ktime_ns) < (__s64)RESERVE_LOOK_NS)
		return false;
	guard_look_ktime_ns = now;
	return true;
}

#endif
