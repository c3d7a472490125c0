/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 4: the timer of notifications, and how a hook brings its next tick forward. */
#ifndef EVICTD_BPF_NOTIFY_KICK_H
#define EVICTD_BPF_NOTIFY_KICK_H

#include "notify_maps.bpf.h"
#include "pace.bpf.h"
#include "evictd/abi/notify_attention.h"

#define SLOW_PERIOD_NS	 100000000ULL
#define SLOW_ROW_NS	 200000ULL /* a check of a row costs about 1 us */
#define FLOOR_NS	 20000ULL
#define FAST_INTERVAL_NS 2500000ULL   /* 400 fast ticks a second in any steady state */
#define FAST_BURST_NS	 640000000ULL /* a burst of 256 */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct evictd_timer);
} notify_timer __weak SEC(".maps");

static __always_inline struct ticker notify_ticker(void)
{
	struct ticker ticker = {
	    .pace = &notify_schedule.pace,
	    .throttled = &notify_stats.throttled,
	    .interval_ns = FAST_INTERVAL_NS,
	    .burst_ns = FAST_BURST_NS,
	    .floor_ns = FLOOR_NS,
	};

	return ticker;
}

static __always_inline struct evictd_timer *timer_of_notify(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&notify_timer, &zero);
}

/* From now on fast ticks check the row too, as long as evictd_notify_is_followed() is true. */
static __always_inline void follow(struct evictd_notify_row *row, __u32 index, __u64 now)
{
	row->kick_ktime_ns = now;
	notify_schedule.hot[index % EVICTD_NOTIFY_HOT_ROWS] = index + 1;
}

/* Not static, so that the verifier walks it once, not with each state of the tick's loop. */
__weak __noinline __u64 wait_of(__u32 index, __u64 now, __u64 period)
{
	struct evictd_notify_row *row = bpf_map_lookup_elem(&notify_rows, &index);

	return row ? evictd_notify_wait(&row->looks, now, period) : period;
}

/* A hook saw a row move: check it again in `period`. Not static: the verifier walks it once. */
__weak __noinline int kick(__u32 index, __u64 now, __u64 period)
{
	struct evictd_notify_row *row = bpf_map_lookup_elem(&notify_rows, &index);
	struct ticker ticker = notify_ticker();

	if (!row || period == EVICTD_NEVER)
		return 0;
	follow(row, index, now);
	bring_forward(&ticker, timer_of_notify(), now, wait_of(index, now, period));
	return 0;
}

#endif
