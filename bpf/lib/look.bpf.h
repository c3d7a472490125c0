/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 5: one check of one watch: read, compare, report, return the time to the next check. */
#ifndef EVICTD_BPF_LOOK_H
#define EVICTD_BPF_LOOK_H

#include "approach.bpf.h"
#include "compare.bpf.h"
#include "rate.bpf.h"
#include "read.bpf.h"

/*
 * Checks one watch: reads, compares, reports crossings. Returns the time until the next check while
 * the value keeps moving. EVICTD_NEVER: no threshold is near, or the watch counts tasks (every fork
 * is seen, so nothing happens between two checks) or the reserve (charges check it often enough,
 * and a horizon ahead).
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
	report_approach(watch, value, now);
	return time_to_threshold(watch, value);
}

#endif
