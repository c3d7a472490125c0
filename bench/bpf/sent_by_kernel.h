/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the witnesses of signals tell who sends one. For BPF programs only. */
#ifndef EVICTD_BENCH_SENT_BY_KERNEL_H
#define EVICTD_BENCH_SENT_BY_KERNEL_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define SI_KERNEL 0x80
/* A siginfo that is no address: the kernel or bpf_send_signal(). */
#define BY_KERNEL_ITSELF 1

/* Whether no system call sends the signal. bpf_send_signal_task() gives an address, too. */
static __always_inline bool is_sent_by_kernel(struct kernel_siginfo *info)
{
	if (!info)
		return false;
	/* Otherwise the compiler joins the two comparisons, and the verifier sees no check for
	 * NULL. */
	barrier_var(info);
	if ((__u64)info == BY_KERNEL_ITSELF)
		return true;
	return BPF_CORE_READ(info, si_code) == SI_KERNEL;
}

#endif
