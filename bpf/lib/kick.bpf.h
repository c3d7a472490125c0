/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 3: the sweep timer, and how a hook brings its next tick forward. */
#ifndef EVICTD_BPF_KICK_H
#define EVICTD_BPF_KICK_H

#include "maps.bpf.h"
#include "pace.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct evictd_timer);
} sweep_timer __weak SEC(".maps");

extern struct evictd_schedule schedule;

static __always_inline struct ticker sweep_ticker(void)
{
	struct ticker ticker = {
	    .pace = &schedule.pace,
	    .throttled = &stats.throttled,
	    .interval_ns = cfg_fast_tick_interval_ns,
	    .burst_ns = cfg_fast_tick_burst_ns,
	    .floor_ns = cfg_floor_ns,
	};

	return ticker;
}

static __always_inline struct evictd_timer *timer_of_sweep(void)
{
	__u32 zero = 0;

	return EVICTD_TICKS ? bpf_map_lookup_elem(&sweep_timer, &zero) : NULL;
}

/* A hook saw `watch` near a threshold: check it again in `period`. */
static __always_inline void kick(__u32 index, __u64 now, __u64 period)
{
	struct ticker ticker = sweep_ticker();
	struct evictd_watch *watch;

	if (!EVICTD_TICKS || period == EVICTD_NEVER)
		return;
	watch = bpf_map_lookup_elem(&watches, &index);
	if (!watch)
		return;
	watch->kick_ktime_ns = now;
	schedule.hot[index % EVICTD_HOT_SLOTS] = index + 1;
	EVICTD_COUNT(kicks);
	bring_forward(&ticker, timer_of_sweep(), now, period);
}

#endif
