// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * notify: when a counter moves, checks the rows of that counter and of its ancestors.
 *
 * Rows of the ladder, best first (userspace/notify/loader.cpp):
 *
 * fexit/page_counter_try_charge, page_counter_charge, page_counter_uncharge: once per charge batch
 * (64 pages of 4 KiB memory per CPU), in the requesting task, up and down, with the counter's new
 * value: nothing is left for the timer. Also runs for swap, kernel and hugetlb counters; their
 * addresses are in the map only if a row needs them.
 *
 * kprobe of the same: before the counter moves, so the last batch waits for the next one or for a
 * slow tick. Must not touch the timer.
 *
 * tp_btf/mod_memcg_state: if neither is allowed. Fires for kernel memory of the cgroup, thus at
 * least once per 2 MiB of fresh mappings (their page table), and again when that page table is
 * freed, after its pages. The timer covers the approach to a near edge, and freed memory.
 *
 * tp_btf/sched_process_exit: a process is about to free its memory: brings ticks forward.
 *
 * Values are read from the counters, never summed from the events.
 */
#include "lib/climb.bpf.h"
#include "lib/notify_look.bpf.h"

/* A walk that checks rows. */
struct look {
	struct climb climb;
	__u64 now;
};

static __always_inline void look_and_kick(__u32 one_based, __u64 now)
{
	if (one_based)
		kick(one_based - 1, now, look_at_row(one_based - 1, now, EVICTD_NOTIFY_BY_CHARGE));
}

static __always_inline void look_only(__u32 one_based, __u64 now)
{
	if (one_based)
		look_at_row(one_based - 1, now, EVICTD_NOTIFY_BY_CHARGE);
}

static __always_inline long look_at_level(struct look *look, bool may_kick)
{
	struct evictd_notify_counter *found = climb_find(&look->climb, &notify_counters);

	for (int i = 0; found && i < EVICTD_NOTIFY_ROWS_A_COUNTER; i++) {
		if (may_kick)
			look_and_kick(found->rows[i], look->now);
		else
			look_only(found->rows[i], look->now);
	}
	return climb_to(&look->climb, parent_counter(look->climb.counter));
}

/* Two steps: a program that must not touch the timer must not even contain such code. */
static long look_and_kick_at_level(__u32 level, struct look *look)
{
	return look_at_level(look, true);
}

static long look_only_at_level(__u32 level, struct look *look)
{
	return look_at_level(look, false);
}

static __always_inline void handle_charge(__u64 counter, bool may_kick)
{
	struct look look = {.climb = {.counter = counter}};

	if (!notify_row_limit || !counter)
		return;
	look.now = bpf_ktime_get_ns();
	if (may_kick)
		EVICTD_CLIMB(&look, look_and_kick_at_level);
	else
		EVICTD_CLIMB(&look, look_only_at_level);
}

SEC("fexit/page_counter_try_charge")
int BPF_PROG(notify_try_charge_fexit, struct page_counter *counter)
{
	handle_charge((__u64)counter, true);
	return 0;
}

/* Charges that must not fail. */
SEC("fexit/page_counter_charge")
int BPF_PROG(notify_charge_fexit, struct page_counter *counter)
{
	handle_charge((__u64)counter, true);
	return 0;
}

SEC("fexit/page_counter_uncharge")
int BPF_PROG(notify_uncharge_fexit, struct page_counter *counter)
{
	handle_charge((__u64)counter, true);
	return 0;
}

SEC("kprobe/page_counter_try_charge")
int BPF_KPROBE(notify_try_charge_kprobe, struct page_counter *counter)
{
	handle_charge((__u64)counter, false);
	return 0;
}

SEC("kprobe/page_counter_charge")
int BPF_KPROBE(notify_charge_kprobe, struct page_counter *counter)
{
	handle_charge((__u64)counter, false);
	return 0;
}

SEC("kprobe/page_counter_uncharge")
int BPF_KPROBE(notify_uncharge_kprobe, struct page_counter *counter)
{
	handle_charge((__u64)counter, false);
	return 0;
}

SEC("tp_btf/mod_memcg_state")
int BPF_PROG(notify_state_tp, struct mem_cgroup *memcg)
{
	if (!notify_row_limit || !memcg)
		return 0;
	handle_charge((__u64)memcg + bpf_core_field_offset(struct mem_cgroup, memory), true);
	if (notify_swap_rows)
		handle_charge((__u64)memcg + bpf_core_field_offset(struct mem_cgroup, memsw), true);
	return 0;
}

#define EXIT_PERIOD_NS 200000ULL

static long kick_at_level(__u32 level, struct look *look)
{
	struct evictd_notify_counter *found = climb_find(&look->climb, &notify_counters);

	for (int i = 0; found && i < EVICTD_NOTIFY_ROWS_A_COUNTER; i++) {
		if (found->rows[i])
			kick(found->rows[i] - 1, look->now, EXIT_PERIOD_NS);
	}
	return climb_to(&look->climb, parent_counter(look->climb.counter));
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(notify_exit_tp, struct task_struct *task)
{
	struct look look = {};

	/* The last thread of a process frees its memory. */
	if (!notify_row_limit || BPF_CORE_READ(task, signal, live.counter) > 0)
		return 0;
	look.climb.counter = memory_counter_of(task_css(task, memory_subsys()));
	look.now = bpf_ktime_get_ns();
	EVICTD_CLIMB(&look, kick_at_level);
	return 0;
}

static long look_at_pids_level(__u32 level, struct look *look)
{
	struct evictd_notify_counter *found = climb_find(&look->climb, &notify_counters);

	for (int i = 0; found && i < EVICTD_NOTIFY_ROWS_A_COUNTER; i++) {
		if (found->rows[i])
			look_at_row(found->rows[i] - 1, look->now, EVICTD_NOTIFY_BY_TASK);
	}
	return climb_to(&look->climb, parent_pids_counter(look->climb.counter));
}

static __always_inline void handle_task(struct task_struct *task)
{
	struct look look = {};

	if (!notify_task_rows)
		return;
	look.climb.counter = pids_counter_of(task_css(task, pids_subsys()));
	look.now = bpf_ktime_get_ns();
	EVICTD_CLIMB(&look, look_at_pids_level);
}

/* After the child was charged to its pids cgroup, for threads too. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(notify_fork_tp, struct task_struct *parent, struct task_struct *child)
{
	handle_task(child);
	return 0;
}

/* Runs an RCU grace period after a reaped task was uncharged; its css_set is still its own. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(notify_free_tp, struct task_struct *task)
{
	handle_task(task);
	return 0;
}

/* Keeps rows of another cgroup: if the controller was removed before, the counter's memory may
 * belong to that cgroup by now. */
static __always_inline void forget_counter(__u64 address, const struct evictd_cgroup_key *cgroup)
{
	struct evictd_notify_counter *counter = bpf_map_lookup_elem(&notify_counters, &address);
	struct evictd_notify_row *row;
	bool shared = false;
	__u32 index;

	if (!address || !counter)
		return;
	for (int i = 0; i < EVICTD_NOTIFY_ROWS_A_COUNTER; i++) {
		index = counter->rows[i] - 1;
		row = counter->rows[i] ? bpf_map_lookup_elem(&notify_rows, &index) : NULL;
		if (!row)
			continue;
		if (row->cgroup.id != cgroup->id || row->cgroup.hierarchy != cgroup->hierarchy) {
			shared = true;
			continue;
		}
		row->state = EVICTD_NOTIFY_ROW_GONE;
		row->counter = 0;
	}
	if (!shared)
		bpf_map_delete_elem(&notify_counters, &address);
}

/* An RCU grace period before the counters can be freed: in time for every program that uses them.
 */
SEC("tp_btf/cgroup_rmdir")
int BPF_PROG(notify_rmdir_tp, struct cgroup *cgroup)
{
	struct evictd_cgroup_key key = cgroup_key(cgroup);
	struct evictd_notify_cgroup *known = bpf_map_lookup_elem(&notify_cgroups, &key);

	if (!known)
		return 0;
	forget_counter(known->memory_counter, &key);
	forget_counter(known->swap_counter, &key);
	forget_counter(known->pids_counter, &key);
	bpf_map_delete_elem(&notify_cgroups, &key);
	report_removal(&key, EVICTD_NOTIFY_ALL_SIGNALS, bpf_ktime_get_ns());
	return 0;
}
