/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tracer and its programs share: one struct in their global data. */
#ifndef EVICTD_BENCH_HOT_TRACE_H
#define EVICTD_BENCH_HOT_TRACE_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

/* The last system calls that are kept; a power of two. A crossing takes some thirty. */
#define EVICTD_BENCH_CALLS 512
/* Kept bytes of a file's name, with the zero: "memory.usage_in_bytes" has 22. */
#define EVICTD_BENCH_FILE_BYTES 24

/* In the number of a call that had begun before the tracer was armed. */
#define EVICTD_BENCH_UNKNOWN_CALL (-1)

struct evictd_bench_call {
	__u64 enter_ns; /* 0: unknown */
	__u64 exit_ns;	/* 0: has not returned */
	__s64 number;
	char file[EVICTD_BENCH_FILE_BYTES]; /* last part of the path of the first argument */
};

struct evictd_bench_hot_trace {
	/* Set by user space while `armed` is 0. */
	__u32 thread; /* the traced thread's id */
	__u32 victim; /* whose SIGKILL ends the trace */
	__u32 armed;

	/* Set by the programs; cleared by user space when it arms. All times: CLOCK_MONOTONIC. */
	__u32 ended;	  /* the call that sent SIGKILL returned */
	__u64 inside;	  /* the thread is in a call that is in `calls` */
	__u64 count;	  /* returned calls; call n is at n % EVICTD_BENCH_CALLS */
	__u64 sigkill_ns; /* SIGKILL generated for the victim by the thread */
	struct evictd_bench_call calls[EVICTD_BENCH_CALLS];
};

#endif
