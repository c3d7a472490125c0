/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the witness of kills tells of a pod: the value of its map, whose key is a kernfs id. */
#ifndef EVICTD_BENCH_KILL_SEEN_H
#define EVICTD_BENCH_KILL_SEEN_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

struct evictd_bench_kill_seen {
	__u64 count;   /* signals so far */
	__u32 signal;  /* of the first one */
	__u32 sender;  /* process that was running then: the sender, unless the kernel sent it */
	char comm[16]; /* name of that process */
};

#endif
