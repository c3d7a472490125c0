// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * backstop: kills the planned victim when user space does not get the CPU in time.
 *
 * User space arms one plan for at most 3 ms (include/evictd/abi/backstop.h). Rows, best first
 * (userspace/probe/attach_table.cpp):
 *
 * fentry_listed, tp_btf_listed: signals the task that is running if it is the victim's, then every
 * listed process of the victim (bpf_task_from_pid(), bpf_send_signal_task(); 6.13). A process that
 * is forked in the victim while the plan is armed is added to the list.
 *
 * fentry, tp_btf: only the task that is running can be signalled (bpf_send_signal(); 5.3). The
 * charge hook runs in the growing task itself, so that it is usually the one that has to go.
 *
 * The hooks are those of memcg.bpf.c, and a timer runs while a plan is armed, because
 * tp_btf/mod_memcg_state comes once per 2 MiB. These are programs of their own: where the kernel
 * refuses one, nothing else is lost. Whatever the hooks miss, user space finds at its next pass.
 */
#include "lib/listed.bpf.h"
#include "lib/pace.bpf.h"

#define EBUSY 16

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct evictd_timer);
} backstop_timer SEC(".maps");

/* Whether somebody of the victim can be signalled from here. */
static __always_inline bool finds_somebody(struct backstop_look *look, struct task_struct *task,
					   bool listed)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	if (!is_living_user_task(task))
		return false;
	if (is_of_victim(task, tgid, look->victim_css))
		look->tgid = tgid;
	return look->tgid || (listed && any_listed(look));
}

static __always_inline __u32 fire(struct backstop_look *look, bool listed)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u32 spared = decide_again(look);

	if (spared)
		return spared;
	if (!finds_somebody(look, task, listed))
		return EVICTD_SPARED_CONTEXT;
	/* The readings above may be old by now: the CPU can be taken from a program too. */
	if (bpf_ktime_get_ns() >= backstop.expires_ktime_ns)
		return EVICTD_SPARED_NOT;
	/* Before the claim, after which user space reads it. Whoever loses the claim was here at
	 * the same time. */
	backstop.fired_ktime_ns = look->now;
	if (!claim_plan(look->claim))
		return EVICTD_SPARED_NOT;
	backstop.fired_value = look->value;
	backstop.current_pid = look->tgid;
	if (look->tgid)
		backstop.current_result = bpf_send_signal(SIGKILL);
	if (listed)
		signal_all_listed(look);
	return EVICTD_SPARED_NOT;
}

/* Carries the plan out if its moment has come. Returns the time to the next look. */
static __always_inline __u64 look_at_plan(__u64 now, bool listed)
{
	struct backstop_look look = {.claim = armed_claim(), .now = now};

	if (!look.claim || now >= backstop.expires_ktime_ns)
		return BACKSTOP_LONGEST_NS;
	if (!read_level(now, &look.value))
		return BACKSTOP_LONGEST_NS;
	if (look.value > backstop.most_value)
		backstop.spared = EVICTD_SPARED_BEYOND;
	else if (look.value >= backstop.least_value)
		backstop.spared = fire(&look, listed);
	return time_to_look(look.value);
}

/* Not for kernels without the functions: their programs are never asked for. */
static __always_inline int look_at_listed_plan(void)
{
	if (EVICTD_TICKS)
		look_at_plan(bpf_ktime_get_ns(), true);
	return 0;
}

SEC("fentry/page_counter_try_charge")
int BPF_PROG(backstop_listed_fentry, struct page_counter *counter)
{
	return look_at_listed_plan();
}

SEC("tp_btf/mod_memcg_state")
int BPF_PROG(backstop_listed_tp, struct mem_cgroup *memcg)
{
	return look_at_listed_plan();
}

SEC("fentry/page_counter_try_charge")
int BPF_PROG(backstop_fentry, struct page_counter *counter)
{
	look_at_plan(bpf_ktime_get_ns(), false);
	return 0;
}

SEC("tp_btf/mod_memcg_state")
int BPF_PROG(backstop_tp, struct mem_cgroup *memcg)
{
	look_at_plan(bpf_ktime_get_ns(), false);
	return 0;
}

/* A new process has its cgroups before this tracepoint (task.bpf.c). A thread is signalled with its
 * process. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(backstop_fork_tp, struct task_struct *parent, struct task_struct *child)
{
#ifndef EVICTD_BOUNDED
	pid_t pid = BPF_CORE_READ(child, pid);
	struct evictd_backstop_task *listed;
	__u64 bytes, css = 0;
	__u32 place;

	if (!armed_claim() || pid != BPF_CORE_READ(child, tgid) ||
	    !read_planned(backstop.victim.slot, backstop.victim.memory_id, &bytes, &css) ||
	    !is_below(child, css))
		return 0;
	place = __sync_fetch_and_add(&backstop.task_count, 1);
	if (place >= EVICTD_BACKSTOP_TASKS)
		return 0;
	listed = &backstop.tasks[place & (EVICTD_BACKSTOP_TASKS - 1)];
	listed->pid = pid;
	listed->result = EVICTD_NOT_SENT;
	listed->start_ns = BPF_CORE_READ(child, start_time);
#endif
	return 0;
}

#ifdef EVICTD_BOUNDED

EVICTD_RUN_BY_USER_SPACE
int backstop_start(void *ctx)
{
	return 0;
}

EVICTD_RUN_BY_USER_SPACE
int backstop_listed_start(void *ctx)
{
	return 0;
}

#else

static __always_inline void tick_again(struct evictd_timer *timer, __u64 now, __u64 period)
{
	if (now < backstop.expires_ktime_ns)
		bpf_timer_start(&timer->timer, period, 0);
}

static int backstop_tick(void *map, __u32 *key, struct evictd_timer *timer)
{
	__u64 now = bpf_ktime_get_ns();

	tick_again(timer, now, look_at_plan(now, false));
	return 0;
}

static int backstop_listed_tick(void *map, __u32 *key, struct evictd_timer *timer)
{
	__u64 now = bpf_ktime_get_ns();

	tick_again(timer, now, look_at_plan(now, true));
	return 0;
}

static __always_inline int start_timer(void *tick)
{
	__u32 zero = 0;
	struct evictd_timer *timer = bpf_map_lookup_elem(&backstop_timer, &zero);
	int error;

	if (!timer)
		return -1;
	error = bpf_timer_init(&timer->timer, &backstop_timer, CLOCK_MONOTONIC);
	if (!error)
		error = bpf_timer_set_callback(&timer->timer, tick);
	if (error && error != -EBUSY)
		return error;
	return bpf_timer_start(&timer->timer, BACKSTOP_SHORTEST_NS, 0);
}

/* The plan is written and about to be armed. The timer ticks until it expires. */
EVICTD_RUN_BY_USER_SPACE
int backstop_start(void *ctx)
{
	return start_timer(backstop_tick);
}

/* The same, and finds the listed processes. */
EVICTD_RUN_BY_USER_SPACE
int backstop_listed_start(void *ctx)
{
	find_all_listed();
	return start_timer(backstop_listed_tick);
}

#endif
