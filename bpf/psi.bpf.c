// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * psi: memory stall time of the tasks of watched cgroups.
 *
 * Rows, best first:
 * fentry/psi_memstall_enter, _leave    What PSI itself measures (refault, direct reclaim,
 * compaction); the sum equals the cgroup's "some" while one task stalls.
 * tp_btf/mm_vmscan_*reclaim_begin, _end  If fentry is not allowed: only the time in direct reclaim,
 * for a cgroup's limit or for the node. Reports call it reclaim time, because the kernel may have
 * no PSI per cgroup.
 *
 * The time is the sum over tasks, counted when a stall ends, and charged to the watched cgroups
 * above the task. psi_group->total is no substitute: it moves every 2 s or when the file is read.
 */
#include "lib/climb.bpf.h"
#include "lib/emit.bpf.h"
#include "lib/kick.bpf.h"

/* Stalls in progress, by thread. If full, further stalls are not counted until one ends. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u64);
} stalls SEC(".maps");

static __always_inline void report_stall(__u32 slot, struct evictd_target *target, __u64 now)
{
	struct ticker ticker = sweep_ticker();

	schedule.stall_until_ns = now + cfg_stall_window_ns;
	if (schedule.pace.next_tick_ns > now + cfg_base_period_ns / 10) {
		schedule.pace.next_slow_ns = now + cfg_base_period_ns / 10;
		arm_tick(&ticker, timer_of_sweep(), now, cfg_base_period_ns / 10);
	}
	EVICTD_EMIT(struct evictd_stall_event, EVICTD_EVENT_STALL, now, .slot = slot,
		    .generation = target->generation, .stall_ns = target->stall_window_total_ns,
		    .window_ns = now - target->stall_window_start_ns, .total_ns = target->stall_ns);
}

/* True for the first call in a window. */
static __always_inline bool claim_report(struct evictd_target *target)
{
#ifdef EVICTD_BOUNDED
	/* Two simultaneous calls may both get true, which is harmless. */
	bool claimed = !target->stall_reported;

	target->stall_reported = 1;
	return claimed;
#else
	return !__sync_lock_test_and_set(&target->stall_reported, 1);
#endif
}

static __always_inline void add_stall(__u32 slot, __u64 lost, __u64 now)
{
	struct evictd_target *target = bpf_map_lookup_elem(&targets, &slot);

	if (!target)
		return;
	__sync_fetch_and_add(&target->stall_ns, lost);
	if (now - target->stall_window_start_ns > cfg_stall_window_ns) {
		target->stall_window_start_ns = now;
		target->stall_window_total_ns = 0;
		target->stall_reported = 0;
	}
	__sync_fetch_and_add(&target->stall_window_total_ns, lost);
	if (target->stall_window_total_ns >= cfg_stall_notice_ns && claim_report(target))
		report_stall(slot, target, now);
}

static __always_inline void stall_begins(void)
{
	__u32 thread = bpf_get_current_pid_tgid();
	__u64 now = bpf_ktime_get_ns();

	/* psi_memstall_enter nests: the outermost counts. */
	bpf_map_update_elem(&stalls, &thread, &now, BPF_NOEXIST);
}

struct stall {
	struct climb climb;
	__u64 lost;
	__u64 now;
};

static long charge_stall(__u32 level, struct stall *stall)
{
	struct evictd_counter *found = climb_find(&stall->climb, &counters);

	if (found && found->slot)
		add_stall(found->slot - 1, stall->lost, stall->now);
	return climb_to(&stall->climb, parent_counter(stall->climb.counter));
}

static __always_inline void stall_ends(void)
{
	__u32 thread = bpf_get_current_pid_tgid();
	__u64 *began = bpf_map_lookup_elem(&stalls, &thread);
	struct task_struct *task = (void *)bpf_get_current_task();
	struct stall stall;

	if (!began)
		return;
	stall.now = bpf_ktime_get_ns();
	stall.lost = stall.now - *began;
	bpf_map_delete_elem(&stalls, &thread);
	stall.climb.counter = memory_counter_of(task_css(task, memory_subsys()));
	EVICTD_CLIMB(&stall, charge_stall);
}

/* *flags is 0 only for the outermost pair. The function itself writes it on entry. On leaving, it
 * marks an inner pair, which must not end the stall. */
SEC("fentry/psi_memstall_enter")
int BPF_PROG(psi_enter_fentry, unsigned long *flags)
{
	stall_begins();
	return 0;
}

SEC("fentry/psi_memstall_leave")
int BPF_PROG(psi_leave_fentry, unsigned long *flags)
{
	unsigned long nested = 0;

	bpf_probe_read_kernel(&nested, sizeof(nested), flags);
	if (!nested)
		stall_ends();
	return 0;
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_begin")
int BPF_PROG(reclaim_memcg_begin_tp)
{
	stall_begins();
	return 0;
}

SEC("tp_btf/mm_vmscan_memcg_reclaim_end")
int BPF_PROG(reclaim_memcg_end_tp)
{
	stall_ends();
	return 0;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_begin")
int BPF_PROG(reclaim_direct_begin_tp)
{
	stall_begins();
	return 0;
}

SEC("tp_btf/mm_vmscan_direct_reclaim_end")
int BPF_PROG(reclaim_direct_end_tp)
{
	stall_ends();
	return 0;
}
