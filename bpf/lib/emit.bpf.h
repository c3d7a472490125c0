/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 3: records into the ring; a full ring is counted by kind, never silent. */
#ifndef EVICTD_BPF_EMIT_H
#define EVICTD_BPF_EMIT_H

#include "maps.bpf.h"

/* Room for one record of `type`, header filled in, or NULL. Must be given to bpf_ringbuf_submit.
 * The rest of the record is uninitialised: assign it as a whole. */
#define EVICTD_RESERVE(type, event_kind, now)                                                      \
	({                                                                                         \
		type *record_ = bpf_ringbuf_reserve(&events, sizeof(type), 0);                     \
		__sync_fetch_and_add(&stats.emitted[event_kind], 1);                               \
		if (record_)                                                                       \
			record_->header = (struct evictd_event_header){                            \
			    .kind = event_kind, .size = sizeof(type), .ktime_ns = now};            \
		else                                                                               \
			__sync_fetch_and_add(&stats.dropped[event_kind], 1);                       \
		record_;                                                                           \
	})

#endif
