/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layer 6: the listed processes of a plan's victim, found and signalled.
 *
 * For one source file only, as load.bpf.h: it declares kernel functions.
 */
#ifndef EVICTD_BPF_LISTED_H
#define EVICTD_BPF_LISTED_H

#include "backstop.bpf.h"

#ifndef EVICTD_BOUNDED
extern struct task_struct *bpf_task_from_pid(__s32 pid) __ksym __weak;
extern void bpf_task_release(struct task_struct *task) __ksym __weak;
extern int bpf_send_signal_task(struct task_struct *task, int signal, enum pid_type type,
				__u64 value) __ksym __weak;

static long find_listed(__u32 i, __u64 *css)
{
	struct evictd_backstop_task *listed = &backstop.tasks[i & (EVICTD_BACKSTOP_TASKS - 1)];
	struct task_struct *task = bpf_task_from_pid(listed->pid);

	if (!task)
		return 0;
	if (is_below(task, *css))
		listed->start_ns = BPF_CORE_READ(task, start_time);
	bpf_task_release(task);
	return 0;
}

/* The listed process; NULL if it is gone, has moved out of the victim, or its pid belongs to
 * another process now. To be released. */
static __always_inline struct task_struct *acquire_listed(const struct evictd_backstop_task *listed,
							  __u64 victim_css)
{
	struct task_struct *task;

	if (!listed->start_ns)
		return NULL;
	task = bpf_task_from_pid(listed->pid);
	if (!task)
		return NULL;
	if (BPF_CORE_READ(task, start_time) == listed->start_ns &&
	    is_of_victim(task, listed->pid, victim_css))
		return task;
	bpf_task_release(task);
	return NULL;
}

static long find_one_listed(__u32 i, struct backstop_look *look)
{
	struct task_struct *task =
	    acquire_listed(&backstop.tasks[i & (EVICTD_BACKSTOP_TASKS - 1)], look->victim_css);

	if (!task)
		return 0;
	bpf_task_release(task);
	look->found = 1;
	return 1;
}

static long signal_listed(__u32 i, struct backstop_look *look)
{
	struct evictd_backstop_task *listed = &backstop.tasks[i & (EVICTD_BACKSTOP_TASKS - 1)];
	struct task_struct *task;

	if (listed->pid == look->tgid)
		return 0;
	task = acquire_listed(listed, look->victim_css);
	if (!task)
		return 0;
	listed->result = bpf_send_signal_task(task, SIGKILL, PIDTYPE_TGID, 0);
	bpf_task_release(task);
	return 0;
}

static __always_inline __u32 number_listed(void)
{
	__u32 count = backstop.task_count;

	return count < EVICTD_BACKSTOP_TASKS ? count : EVICTD_BACKSTOP_TASKS;
}

static __always_inline bool any_listed(struct backstop_look *look)
{
	bpf_loop(number_listed(), find_one_listed, look, 0);
	return look->found;
}

static __always_inline void signal_all_listed(struct backstop_look *look)
{
	bpf_loop(number_listed(), signal_listed, look, 0);
}

/* Notes when the listed processes began. */
static __always_inline void find_all_listed(void)
{
	__u64 bytes, css = 0;

	if (read_planned(backstop.victim.slot, backstop.victim.memory_id, &bytes, &css))
		bpf_loop(number_listed(), find_listed, &css, 0);
}
#else
static __always_inline bool any_listed(struct backstop_look *look)
{
	return false;
}

static __always_inline void signal_all_listed(struct backstop_look *look)
{
}
#endif

#endif
