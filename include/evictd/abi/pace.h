/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a timer of the kernel programs goes by; theirs alone, exposed for tests. */
#ifndef EVICTD_ABI_PACE_H
#define EVICTD_ABI_PACE_H

#include "types.h"

struct evictd_pace {
	__u64 next_tick_ns; /* what the timer is armed for */
	__u64 next_slow_ns;
	__u64 paid_until_ns; /* by fast ticks */
	__u64 kicks;	     /* changes with every kick: a tick that was overtaken notices */
	__u32 armed;
	__u32 initialised;
};
EVICTD_ABI_SIZE(struct evictd_pace, 40);

#endif
