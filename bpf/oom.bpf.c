// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * oom: the kernel's OOM killer acted before evictd.
 *
 * mark_victim runs in the task whose allocation failed, so "current" and its cgroup are wrong:
 * everything is read from the victim. Kernels before 6.1.x stable's backport of 72ba14deb40a ("mm:
 * update mark_victim tracepoints fields", 6.9) pass only a pid. There the next row is fentry on
 * mark_oom_victim(), which has always had the task.
 */
#include "lib/climb.bpf.h"
#include "lib/emit.bpf.h"

struct search {
	struct climb climb;
	__u32 slot;
};

static long find_slot(__u32 level, struct search *search)
{
	struct evictd_counter *found = climb_find(&search->climb, &counters);

	if (found && found->slot) {
		search->slot = found->slot - 1;
		return 1;
	}
	return climb_to(&search->climb, parent_counter(search->climb.counter));
}

static __always_inline __u32 slot_above(__u64 counter)
{
	struct search search = {.climb = {.counter = counter}, .slot = EVICTD_NO_SLOT};

	EVICTD_CLIMB(&search, find_slot);
	return search.slot;
}

static __always_inline int handle_victim(struct task_struct *victim)
{
	struct cgroup_subsys_state *css = task_css(victim, memory_subsys());
	struct cgroup *cgroup = css ? BPF_CORE_READ(css, cgroup) : NULL;
	struct evictd_oom_event record = {
	    .header = EVICTD_HEADER(struct evictd_oom_event, EVICTD_EVENT_OOM, bpf_ktime_get_ns()),
	    .pid = BPF_CORE_READ(victim, tgid),
	    .slot = slot_above(memory_counter_of(css)),
	};
	struct evictd_oom_event *event;

	if (cgroup)
		record.memory = cgroup_key(cgroup);
	BPF_CORE_READ_STR_INTO(&record.comm, victim, comm);
	event = EVICTD_RESERVE(struct evictd_oom_event, EVICTD_EVENT_OOM);
	if (!event)
		return 0;
	*event = record;
	bpf_ringbuf_submit(event, 0);
	return 0;
}

SEC("tp_btf/mark_victim")
int BPF_PROG(oom_victim_tp, struct task_struct *victim)
{
	/* Reads a field of the argument, so that a kernel which passes a pid refuses the program.
	 */
	return victim->tgid ? handle_victim(victim) : 0;
}

SEC("fentry/mark_oom_victim")
int BPF_PROG(oom_victim_fentry, struct task_struct *victim)
{
	return handle_victim(victim);
}

/* The fields of the trace record since the tracepoint has the task (72ba14deb40a). */
struct trace_event_raw_mark_victim___task {
	unsigned long total_vm;
} __attribute__((preserve_access_index));

/* Only the pid: user space finds the cgroup if the process still exists. If the argument is the
 * task, its address must not be taken for a pid. */
SEC("tp_btf/mark_victim")
int BPF_PROG(oom_victim_pid_tp, __u64 victim)
{
	if (bpf_core_field_exists(struct trace_event_raw_mark_victim___task, total_vm))
		victim = BPF_CORE_READ((struct task_struct *)victim, tgid);
	EVICTD_EMIT(struct evictd_oom_event, EVICTD_EVENT_OOM, bpf_ktime_get_ns(), .pid = victim,
		    .slot = EVICTD_NO_SLOT);
	return 0;
}
