// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Records the system calls of one thread until it has sent SIGKILL to a victim. It is the outside
 * view of evictd's hot thread: it shares no map, no program and no code with evictd.
 *
 * Hooks: tp_btf sys_enter and sys_exit, which run for every system call of the machine while they
 * are attached; they return at once for other threads. tp_btf signal_generate parts the call that
 * kills. Only the traced thread writes, so that nothing here is atomic.
 */
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "hot_trace.h"

#define SIGKILL 9

struct evictd_bench_hot_trace hot_trace;

static __always_inline bool is_traced(void)
{
	return hot_trace.armed && !hot_trace.ended &&
	       (__u32)bpf_get_current_pid_tgid() == hot_trace.thread;
}

static __always_inline struct evictd_bench_call *current_call(void)
{
	return &hot_trace.calls[hot_trace.count & (EVICTD_BENCH_CALLS - 1)];
}

/* The name is empty or meaningless where the first argument is no descriptor. */
static __always_inline void name_file(struct evictd_bench_call *call, __u64 descriptor)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **files = BPF_CORE_READ(table, fd);
	const unsigned char *name = NULL;
	struct dentry *dentry = NULL;
	struct file *file = NULL;

	call->file[0] = 0;
	if (descriptor >= BPF_CORE_READ(table, max_fds))
		return;
	if (bpf_probe_read_kernel(&file, sizeof(file), files + descriptor) || !file)
		return;
	if (bpf_core_read(&dentry, sizeof(dentry), &file->f_path.dentry) ||
	    bpf_core_read(&name, sizeof(name), &dentry->d_name.name))
		return;
	bpf_probe_read_kernel_str(call->file, sizeof(call->file), name);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(trace_enter, struct pt_regs *regs, long number)
{
	struct evictd_bench_call *call;

	if (!is_traced())
		return 0;
	call = current_call();
	call->enter_ns = bpf_ktime_get_ns();
	call->exit_ns = 0;
	call->number = number;
	name_file(call, PT_REGS_PARM1_CORE_SYSCALL(regs));
	hot_trace.inside = 1;
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(trace_exit)
{
	struct evictd_bench_call *call;

	if (!is_traced())
		return 0;
	call = current_call();
	if (!hot_trace.inside) {
		call->enter_ns = 0;
		call->number = EVICTD_BENCH_UNKNOWN_CALL;
		call->file[0] = 0;
	}
	call->exit_ns = bpf_ktime_get_ns();
	hot_trace.inside = 0;
	hot_trace.count++;
	hot_trace.ended = hot_trace.sigkill_ns != 0;
	return 0;
}

SEC("tp_btf/signal_generate")
int BPF_PROG(trace_signal, int sig, struct kernel_siginfo *info, struct task_struct *task)
{
	if (sig != SIGKILL || !is_traced() || hot_trace.sigkill_ns)
		return 0;
	if ((__u32)task->tgid == hot_trace.victim)
		hot_trace.sigkill_ns = bpf_ktime_get_ns();
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
