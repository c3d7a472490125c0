/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layer 3: the sweep timer's schedule, and how a hook brings the next tick forward.
 *
 * Only for tp_btf, fentry, timer and syscall programs: the verifier lets no kprobe and no raw
 * tracepoint touch a map that holds a timer, which is why the timer has a map of its own.
 */
#ifndef EVICTD_BPF_KICK_H
#define EVICTD_BPF_KICK_H

#include "maps.bpf.h"

struct evictd_timer {
	struct bpf_timer timer;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct evictd_timer);
} sweep_timer __weak SEC(".maps");

extern struct evictd_schedule schedule;

/*
 * Pays for one fast tick, or refuses: a burst is allowed, then one per interval, whatever the pods
 * do. (Generic cell rate: each tick moves the paid-until moment one interval on; a burst may run
 * ahead.)
 */
static __always_inline bool pay_fast_tick(__u64 now)
{
	__u64 paid = schedule.fast_ticks_paid_until_ns;
	__u64 from = paid > now ? paid : now;

	if (from - now > cfg_fast_tick_burst_ns) {
		__sync_fetch_and_add(&stats.throttled, 1);
		return false;
	}
	schedule.fast_ticks_paid_until_ns = from + cfg_fast_tick_interval_ns;
	return true;
}

static __always_inline void arm_tick(__u64 now, __u64 period)
{
	__u32 zero = 0;
	struct evictd_timer *sweep = bpf_map_lookup_elem(&sweep_timer, &zero);

	if (!sweep || !schedule.armed)
		return;
	schedule.next_tick_ns = now + period;
	bpf_timer_start(&sweep->timer, period, 0);
}

/* A hook saw `watch` near a threshold: look again in `period`, unless a tick comes sooner anyway.
 */
static __always_inline void kick(__u32 index, __u64 now, __u64 period)
{
	struct evictd_watch *watch = bpf_map_lookup_elem(&watches, &index);

	if (!watch || period == EVICTD_NEVER)
		return;
	watch->kick_ktime_ns = now;
	schedule.hot[index % EVICTD_HOT_SLOTS] = index + 1;
	__sync_fetch_and_add(&schedule.kicks, 1);
	__sync_fetch_and_add(&stats.kicks, 1);
	if (schedule.next_tick_ns > now && schedule.next_tick_ns <= now + period)
		return;
	if (pay_fast_tick(now))
		arm_tick(now, period);
}

#endif
