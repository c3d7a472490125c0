/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 4: hints that a threshold is near, so that the hot thread busy-waits for it. */
#ifndef EVICTD_BPF_APPROACH_H
#define EVICTD_BPF_APPROACH_H

#include "emit.bpf.h"

/*
 * A report costs the hot thread a wake-up: at most 10 a second in total, a few of them close
 * together. A task that lost its CPU near a threshold continues long after the hot thread has
 * stopped waiting for it. It then deserves a second hint, but none before.
 */
#define APPROACH_INTERVAL_NS 100000000ULL
#define APPROACHES_SAVED     5
#define APPROACH_PAUSE_NS    1500000ULL

static __always_inline bool pay_approach(__u64 now)
{
	__u64 paid_until = approach_paid_until_ktime_ns;

	if (now - approach_ktime_ns < APPROACH_PAUSE_NS ||
	    paid_until > now + (APPROACHES_SAVED - 1) * APPROACH_INTERVAL_NS)
		return false;
	approach_ktime_ns = now;
	approach_paid_until_ktime_ns = (paid_until > now ? paid_until : now) + APPROACH_INTERVAL_NS;
	return true;
}

/* Sends the hot thread a hint if the threshold is at most cfg_approach_ns away. */
static __always_inline void report_approach(const struct evictd_watch *watch, __u64 value,
					    __u64 now)
{
	__u64 distance;

	if (watch->upper == EVICTD_NEVER || value >= watch->upper)
		return;
	distance = watch->upper - value;
	if (distance > watch->growth * (cfg_approach_ns / 1000) / 1000000 || !pay_approach(now))
		return;
	EVICTD_EMIT(struct evictd_approach_event, EVICTD_EVENT_APPROACH, now,
		    .cgroup = watch->cgroup, .distance = distance, .rate = watch->growth,
		    .signal = watch->signal, .cpu = bpf_get_smp_processor_id());
}

#endif
