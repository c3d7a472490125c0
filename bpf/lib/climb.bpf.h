/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layer 3: the walk from a counter to the root of its hierarchy, one level a step.
 *
 * A hook keeps what its steps share in a structure that begins with a `struct climb`, and has a
 * step that finds what hangs on the counter at hand and ends with climb_to() its parent. Where the
 * loop is bpf_loop's the verifier walks the step a few times only, however high the bound is.
 */
#ifndef EVICTD_BPF_CLIMB_H
#define EVICTD_BPF_CLIMB_H

#include "compat.bpf.h"

/* Where a walk is. An address only, so any program type may walk. */
struct climb {
	__u64 counter;
};

/* What hangs on the counter that the walk is at, by `map` of addresses; NULL for nothing. */
static __always_inline void *climb_find(const struct climb *climb, void *map)
{
	__u64 counter = climb->counter;

	return bpf_map_lookup_elem(map, &counter);
}

/* The end of a step. `parent`: 0 above the root, which ends the walk. */
static __always_inline long climb_to(struct climb *climb, __u64 parent)
{
	climb->counter = parent;
	return !parent;
}

/* Takes `step`, long (*)(__u32 level, struct of the hook *), at each level from `walk->climb` on.
 */
#define EVICTD_CLIMB(walk, step)                                                                   \
	do {                                                                                       \
		if ((walk)->climb.counter)                                                         \
			EVICTD_REPEAT(EVICTD_MAX_LEVELS, EVICTD_MAX_LEVELS, step, walk);           \
	} while (0)

#endif
