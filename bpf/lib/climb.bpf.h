/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layer 3: the walk from a counter to the root of its hierarchy, one level per step.
 *
 * A hook keeps the shared state of its steps in a structure that begins with a `struct climb`. Its
 * step finds the entries of the current counter and ends with climb_to() the parent. With
 * bpf_loop() the verifier walks the step only a few times, however high the bound is.
 */
#ifndef EVICTD_BPF_CLIMB_H
#define EVICTD_BPF_CLIMB_H

#include "compat.bpf.h"

/* Position of a walk. Only an address, so that any program type may walk. */
struct climb {
	__u64 counter;
};

/* The entry of the walk's current counter in `map`, by address; NULL for none. */
static __always_inline void *climb_find(const struct climb *climb, void *map)
{
	__u64 counter = climb->counter;

	return bpf_map_lookup_elem(map, &counter);
}

/* Ends a step. `parent`: 0 above the root, which ends the walk. */
static __always_inline long climb_to(struct climb *climb, __u64 parent)
{
	climb->counter = parent;
	return !parent;
}

/* Calls `step`, long (*)(__u32 level, struct of the hook *), per level from `walk->climb` on. */
#define EVICTD_CLIMB(walk, step)                                                                   \
	do {                                                                                       \
		if ((walk)->climb.counter)                                                         \
			EVICTD_REPEAT(EVICTD_MAX_LEVELS, EVICTD_MAX_LEVELS, step, walk);           \
	} while (0)

#endif
