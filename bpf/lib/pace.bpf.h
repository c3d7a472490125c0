/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layer 2: when a timer ticks.
 *
 * Slow ticks come anyway. Fast ones come because a hook has kicked, and are paid for. What is meant
 * by slow and fast, and the timer's map, are those of the object that includes this.
 *
 * Only for tp_btf, fentry, timer and syscall programs: the verifier lets no kprobe and no raw
 * tracepoint touch a map that holds a timer, which is why a timer has a map of its own.
 */
#ifndef EVICTD_BPF_PACE_H
#define EVICTD_BPF_PACE_H

#include "compat.bpf.h"
#include "evictd/abi/pace.h"

struct evictd_timer {
	struct bpf_timer timer;
};

/* A timer's state and its limits. */
struct ticker {
	struct evictd_pace *pace;
	__u64 *throttled;  /* counter of refused fast ticks */
	__u64 interval_ns; /* a fast tick pays for one interval */
	__u64 burst_ns;	   /* paid time may run ahead this far */
	__u64 floor_ns;	   /* shortest time to a tick */
};

/*
 * Pays for one fast tick, or refuses: first a burst, then one per interval, whatever the cgroups
 * do. (Generic cell rate: each tick moves the paid-until time one interval on; a burst may run
 * ahead.)
 */
static __always_inline bool pay_fast_tick(const struct ticker *ticker, __u64 now)
{
	__u64 paid = ticker->pace->paid_until_ns;
	__u64 from = paid > now ? paid : now;

	if (from - now > ticker->burst_ns) {
		__sync_fetch_and_add(ticker->throttled, 1);
		return false;
	}
	ticker->pace->paid_until_ns = from + ticker->interval_ns;
	return true;
}

#ifdef EVICTD_BOUNDED

/* Nothing ticks. */
static __always_inline void arm_tick(const struct ticker *ticker, struct evictd_timer *timer,
				     __u64 now, __u64 period)
{
}

static __always_inline void bring_forward(const struct ticker *ticker, struct evictd_timer *timer,
					  __u64 now, __u64 period)
{
}

static __always_inline void arm_next(const struct ticker *ticker, struct evictd_timer *timer,
				     __u64 now, __u64 kicks, __u64 wanted)
{
}

#define EOPNOTSUPP 95

static __always_inline int start_ticks(const struct ticker *ticker, struct evictd_timer *timer,
				       void *map, void *tick, __u64 now)
{
	return -EOPNOTSUPP;
}

#else

/* `timer` may be NULL after a failed look-up. */
static __always_inline void arm_tick(const struct ticker *ticker, struct evictd_timer *timer,
				     __u64 now, __u64 period)
{
	if (!timer || !ticker->pace->armed)
		return;
	ticker->pace->next_tick_ns = now + period;
	bpf_timer_start(&timer->timer, period, 0);
}

/* A hook wants a tick in `period`: arms one, unless another comes sooner. */
static __always_inline void bring_forward(const struct ticker *ticker, struct evictd_timer *timer,
					  __u64 now, __u64 period)
{
	__u64 next = ticker->pace->next_tick_ns;

	__sync_fetch_and_add(&ticker->pace->kicks, 1);
	if (next > now && next <= now + period)
		return;
	if (pay_fast_tick(ticker, now))
		arm_tick(ticker, timer, now, period);
}

/* Ends a tick that began at `now` with `kicks`, and wants the next tick in `wanted`. */
static __always_inline void arm_next(const struct ticker *ticker, struct evictd_timer *timer,
				     __u64 now, __u64 kicks, __u64 wanted)
{
	__u64 period = ticker->pace->next_slow_ns - now;

	if (wanted < period && pay_fast_tick(ticker, now))
		period = wanted;
	/* A hook kicked meanwhile: the code below would overwrite its shorter period. */
	if (kicks != ticker->pace->kicks && ticker->floor_ns < period && pay_fast_tick(ticker, now))
		period = ticker->floor_ns;
	ticker->pace->next_tick_ns = now + period;
	bpf_timer_start(&timer->timer, period, 0);
}

/* Begins, or begins again: a slow tick comes at once. `tick`: int (*)(void *map, __u32 *key, struct
 * evictd_timer *). 0, or the kernel's error. */
static __always_inline int start_ticks(const struct ticker *ticker, struct evictd_timer *timer,
				       void *map, void *tick, __u64 now)
{
	int error = 0;

	if (!timer)
		return -1;
	if (!ticker->pace->initialised) {
		error = bpf_timer_init(&timer->timer, map, CLOCK_MONOTONIC);
		if (!error)
			error = bpf_timer_set_callback(&timer->timer, tick);
		if (error)
			return error;
		ticker->pace->initialised = 1;
	}
	ticker->pace->armed = 1;
	ticker->pace->next_slow_ns = now;
	arm_tick(ticker, timer, now, ticker->floor_ns);
	return 0;
}

#endif

#endif
