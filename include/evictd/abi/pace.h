/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* State of a kernel-side timer; private to the kernel programs, exposed for tests. */
#ifndef EVICTD_ABI_PACE_H
#define EVICTD_ABI_PACE_H

#include "types.h"

struct evictd_pace {
	__u64 next_tick_ns; /* when the armed timer fires */
	__u64 next_slow_ns;
	__u64 paid_until_ns; /* budget of fast ticks */
	__u64 kicks;	     /* changes with every kick, so that an overtaken tick notices */
	__u32 armed;
	__u32 initialised;
};
EVICTD_ABI_SIZE(struct evictd_pace, 40);

#endif
