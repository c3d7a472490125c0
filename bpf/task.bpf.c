// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * task: a fork triggers the comparison of pids thresholds.
 *
 * sched_process_fork runs in kernel_clone() after the child was charged to its pids cgroup
 * (cgroup_can_fork) and given its css_set (cgroup_post_fork), for threads too. The values are read
 * from the counters: sums of forks and exits would drift with migration and failed forks. Exits are
 * not hooked: the next tick sees a value that fell below a threshold.
 */
#include "lib/climb.bpf.h"
#include "lib/look.bpf.h"

struct fork {
	struct climb climb;
	__u64 now;
};

static long look_at_level(__u32 level, struct fork *fork)
{
	struct evictd_counter *found = climb_find(&fork->climb, &counters);

	if (found && found->tasks_watch)
		look_at(found->tasks_watch - 1, fork->now, EVICTD_ORIGIN_FORK);
	return climb_to(&fork->climb, parent_pids_counter(fork->climb.counter));
}

static __always_inline void handle_fork(struct task_struct *child)
{
	struct fork fork;
	__u64 now;

	if (!task_watches && !node_tasks_watch)
		return;
	now = bpf_ktime_get_ns();
	EVICTD_COUNT(forks);
	if (node_tasks_watch)
		look_at(node_tasks_watch - 1, now, EVICTD_ORIGIN_FORK);
	if (!task_watches)
		return;
	fork.climb.counter = pids_counter_of(task_css(child, pids_subsys()));
	fork.now = now;
	EVICTD_CLIMB(&fork, look_at_level);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(task_fork_tp, struct task_struct *parent, struct task_struct *child)
{
	handle_fork(child);
	return 0;
}

SEC("raw_tp/sched_process_fork")
int BPF_PROG(task_fork_raw, struct task_struct *parent, struct task_struct *child)
{
	handle_fork(child);
	return 0;
}
