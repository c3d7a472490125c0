/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 5: one look at one watch: read, compare, report, say how soon to look again. */
#ifndef EVICTD_BPF_LOOK_H
#define EVICTD_BPF_LOOK_H

#include "approach.bpf.h"
#include "compare.bpf.h"
#include "rate.bpf.h"
#include "read.bpf.h"

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
