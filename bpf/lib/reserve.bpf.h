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

static __always_inline __u64 reserve_pages(const struct at_hand *pages)
{
	__u64 swap = nr_swap_pages_address ? pages_from(read_u64(nr_swap_pages_address)) : 0;

	return minus_floored(pages->free, guard.min_pages) + less_kept(pages->file) +
	       less_kept(pages->slab) + (swap * guard.swap_per_1024 >> 10);
}

/* Two CPUs at once may measure one window twice, or an empty one: the next one is right again. */
static __always_inline void update_reserve(const struct at_hand *pages, __u64 now)
{
	__u64 bytes = reserve_pages(pages) << cfg_page_shift;
	__u64 elapsed = now - node.reserve_from_ktime_ns;
	__u64 fall = minus_floored(node.reserve_from_bytes, bytes);

	node.reserve_bytes = bytes;
	node.reserve_ktime_ns = now;
	if (node.reserve_generation != guard.generation) {
		/* Of other terms: no fall. */
		node.reserve_generation = guard.generation;
		fall = 0;
		elapsed = RESERVE_WINDOW_NS;
	}
	if ((__s64)elapsed < (__s64)RESERVE_WINDOW_NS)
		return;
	if (fall > 8ULL << 30) /* the product below must fit 64 bits */
		fall = 8ULL << 30;
	node.reserve_rate = fall * NSEC_PER_SEC / elapsed;
	node.reserve_from_bytes = bytes;
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

static __always_inline bool reserve_is_due_for_a_look(__u64 now)
{
	return (__s64)(now - node.reserve_ktime_ns) >= (__s64)RESERVE_LOOK_NS;
}

#endif
