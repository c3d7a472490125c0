/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 3: records into the ring; a full ring is counted by kind, never silent. */
#ifndef EVICTD_BPF_EMIT_H
#define EVICTD_BPF_EMIT_H

#include "maps.bpf.h"

/* Room for one record of `type`, uninitialised, or NULL. Must be given to bpf_ringbuf_submit. */
#define EVICTD_RESERVE(type, event_kind)                                                           \
	({                                                                                         \
		type *record_ = bpf_ringbuf_reserve(&events, sizeof(type), 0);                     \
		__sync_fetch_and_add(&stats.emitted[event_kind], 1);                               \
		if (!record_)                                                                      \
			__sync_fetch_and_add(&stats.dropped[event_kind], 1);                       \
		record_;                                                                           \
	})

#define EVICTD_HEADER(type, event_kind, now)                                                       \
	(struct evictd_event_header)                                                               \
	{                                                                                          \
		.kind = event_kind, .size = sizeof(type), .ktime_ns = now                          \
	}

/* One record of `type`, assigned whole: fields that are not named are 0. */
#define EVICTD_EMIT(type, event_kind, now, ...)                                                    \
	do {                                                                                       \
		type *room_ = EVICTD_RESERVE(type, event_kind);                                    \
		if (!room_)                                                                        \
			break;                                                                     \
		*room_ = (type){.header = EVICTD_HEADER(type, event_kind, now), __VA_ARGS__};      \
		bpf_ringbuf_submit(room_, 0);                                                      \
	} while (0)

#endif
