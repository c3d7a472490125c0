/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 4: hints that a threshold is near, for the hot thread to wait for it awake. */
#ifndef EVICTD_BPF_APPROACH_H
#define EVICTD_BPF_APPROACH_H

#include "emit.bpf.h"

/*
 * Reports are hints that cost the hot thread a wake-up: 10 a second, whoever grows, of which a few
 * may come close together. A task that lost its CPU on the way to a threshold goes on long after
 * the hot thread has ceased to wait for it, and is worth a second hint then, but none before.
 */
#define APPROACH_INTERVAL_NS 100000000ULL
#define APPROACHES_SAVED     5
#define APPROACH_PAUSE_NS    1500000ULL

static __always_inline bool may_note_approach(__u64 now)
{
	__u64 paid_until = approach_paid_until_ktime_ns;

	if (now - approach_ktime_ns < APPROACH_PAUSE_NS ||
	    paid_until > now + (APPROACHES_SAVED - 1) * APPROACH_INTERVAL_NS)
		return false;
	approach_ktime_ns = now;
	approach_paid_until_ktime_ns = (paid_until > now ? paid_until : now) + APPROACH_INTERVAL_NS;
	return true;
}

/* Tells the hot thread to get ready when the threshold is only cfg_approach_ns away. */
static __always_inline void note_approach(const struct evictd_watch *watch, __u64 value, __u64 now)
{
	__u64 distance;

	if (watch->upper == EVICTD_NEVER || value >= watch->upper)
		return;
	distance = watch->upper - value;
	if (distance > watch->growth * (cfg_approach_ns / 1000) / 1000000 ||
	    !may_note_approach(now))
		return;
	EVICTD_EMIT(struct evictd_approach_event, EVICTD_EVENT_APPROACH, now,
		    .cgroup = watch->cgroup, .distance = distance, .rate = watch->growth,
		    .signal = watch->signal, .cpu = bpf_get_smp_processor_id());
}

#endif
