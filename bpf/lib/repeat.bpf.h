/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layer 0: what differs between the two objects that the programs of evictions are compiled to.
 *
 * One is for kernels from 6.1 on. With EVICTD_BOUNDED it becomes that for older ones, down to 5.10
 * (userspace/probe/kernel_types.h says which is loaded), which lack
 *
 * - bpf_loop() (5.17): loops have a bound then, and the verifier walks every turn of them;
 * - exchanges (5.12): a lock is an entry of a hash table;
 * - bpf_timer (5.15): nothing ticks;
 * - programs of the type syscall (5.14): what user space runs is a raw tracepoint's that is
 * attached to none, which can be run so since 5.10;
 * - iterators of cgroups (6.1): a cgroup is reached through user space's own open directory.
 *
 * Maps, variables and programs have the same names and places in both, so that user space has one
 * view of them.
 */
#ifndef EVICTD_BPF_REPEAT_H
#define EVICTD_BPF_REPEAT_H

#include <vmlinux.h>
#include <bpf/bpf_helpers.h>

/*
 * A step of a loop of thousands of turns is EVICTD_STEP int f(__u32 index, numbers): where the
 * verifier walks every turn it is a function that it walks once by itself.
 *
 * EVICTD_REPEAT(count, bound, step, context): step(i, context), long (*)(__u32, type of context),
 * for each i below `count` until one answers other than 0. `bound` is a constant that no `count` is
 * meant to exceed.
 */
#ifdef EVICTD_BOUNDED
#define EVICTD_RUN_BY_USER_SPACE SEC("raw_tp")
#define EVICTD_TICKS		 0
#define EVICTD_STEP		 __weak __noinline
#define EVICTD_REPEAT(count, bound, step, context)                                                 \
	do {                                                                                       \
		_Pragma("clang loop unroll(disable)") for (__u32 turn_ = 0; turn_ < (bound);       \
							   turn_++)                                \
		{                                                                                  \
			if (turn_ >= (count) || step(turn_, context))                              \
				break;                                                             \
		}                                                                                  \
	} while (0)
#else
#define EVICTD_RUN_BY_USER_SPACE		   SEC("syscall")
#define EVICTD_TICKS				   1
#define EVICTD_STEP				   static __always_inline
#define EVICTD_REPEAT(count, bound, step, context) bpf_loop(count, step, context, 0)
#endif

#endif
