/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the observer and its programs share: one struct in one mmapable array of one entry. */
#ifndef EVICTD_BENCH_OBSERVATION_H
#define EVICTD_BENCH_OBSERVATION_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/* NUMA nodes whose statistics are summed at most; more than any machine the benches run on. */
#define EVICTD_BENCH_NODES 8

struct evictd_bench_observation {
	/* Set by user space while `armed` is 0. */
	__u64 memcg_id;	   /* kernfs id of the watched memory cgroup; 0 watches the node */
	__s64 level_bytes; /* past it = value > level */
	__u32 victim_tgid;
	__u32 node_count;
	__u32 armed;

	/* Set by the programs; cleared by user space when it arms. All times: CLOCK_MONOTONIC. */
	__u32 by_kernel;	   /* no system call sent SIGKILL */
	__u64 crossed_ns;	   /* first page accounted with the value past the level */
	__s64 crossed_bytes;	   /* the value then */
	__u64 sigkill_ns;	   /* SIGKILL generated for the victim */
	__u64 sigkill_returned_ns; /* the system call that sent it returned */
	__s64 sigkill_bytes;	   /* the value at sigkill_ns */
	__s64 furthest_bytes;	   /* the largest value seen */
	__u64 pages_seen;	   /* events looked at while armed */
	__u64 sender;		   /* pid_tgid of who sent SIGKILL by a system call */
	__u64 counter_address;	   /* the watched page_counter, once seen */
	__u64 memcg_address;	   /* the last memcg known to be below the watched one */
	__u64 pgdat_address[EVICTD_BENCH_NODES];
};

#endif
