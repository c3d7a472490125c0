// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * notify_tick: the timer that checks rows between two calls of the hooks, and the programs that
 * user space runs.
 *
 * Slow ticks (10 a second, none without rows) check every row. Fast ticks check rows that a hook
 * kicked recently or that moved recently near an edge (evictd/abi/notify_attention.h); a budget
 * limits them (pay_fast_tick). Softirq context; ticks walk no cgroups.
 */
#include "lib/notify_turns.bpf.h"

/* Options, set before loading. The initial values only let the verifier see the live paths. */
const volatile __u32 cfg_page_shift = 12;
const volatile __u32 cfg_node_ids = 1;
const volatile __u32 cfg_sees_uncharge = 0;
const volatile __u32 cfg_needs_ticks = 1;

struct evictd_notify_stats notify_stats = {};
struct evictd_notify_schedule notify_schedule = {};
__u64 notify_vm_stat[EVICTD_MAX_NODES] = {};
__u32 notify_nodes_found = 0;
__u64 notify_pid_allocated = 0;
__u32 notify_row_limit = 0;
__u32 notify_swap_rows = 0;
__u32 notify_task_rows = 0;

/* Only ever reached through pointers: this puts their types into the object's BTF for
 * tests/bpf/layout_test.cpp. */
struct evictd_notify_record *notify_record_type = NULL;
struct evictd_notify_resolved *notify_resolved_type = NULL;
struct evictd_notify_switch *notify_switch_type = NULL;

/* False: a row was added whose creator may still have seen running ticks. */
static __always_inline bool rests(void)
{
	__sync_lock_test_and_set(&notify_schedule.pace.armed, 0);
	if (!*(volatile __u32 *)&notify_row_limit)
		return true;
	notify_schedule.pace.armed = 1;
	return false;
}

/* With very many rows, a check of all takes a millisecond: this keeps it below 1 % of a core. */
static __always_inline __u64 slow_period(void)
{
	__u64 all = notify_row_limit * SLOW_ROW_NS;

	return all > SLOW_PERIOD_NS ? all : SLOW_PERIOD_NS;
}

static int tick(void *map, __u32 *key, struct evictd_timer *timer)
{
	struct hot_look look = {.now = bpf_ktime_get_ns(), .period = EVICTD_NEVER};
	__u64 kicks = notify_schedule.pace.kicks;
	struct ticker ticker = notify_ticker();
	struct slow_look each = {.now = look.now};
	__u64 now = look.now;

	notify_stats.ticks++;
	if (!notify_row_limit && rests())
		return 0;
	if (now >= notify_schedule.pace.next_slow_ns) {
		each.number = notify_stats.ticks - notify_stats.fast_ticks;
		bpf_loop(notify_row_limit, look_at_each, &each, 0);
		notify_schedule.pace.next_slow_ns = now + slow_period();
	} else {
		notify_stats.fast_ticks++;
	}
	bpf_loop(EVICTD_NOTIFY_HOT_ROWS, look_at_hot, &look, 0);

	arm_next(&ticker, timer, now, kicks, look.period);
	return 0;
}

/* Run once, before anything else. Returns the number of NUMA nodes found. */
SEC("syscall")
int notify_locate(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	notify_pid_allocated = find_pid_allocated(task);
	find_node_stats(task, cfg_node_ids, notify_vm_stat, &notify_nodes_found);
	return notify_nodes_found;
}

/* Run when the first row is added again. */
SEC("syscall")
int notify_start_timer(void *ctx)
{
	struct ticker ticker = notify_ticker();

	return start_ticks(&ticker, timer_of_notify(), &notify_timer, tick, bpf_ktime_get_ns());
}

static __always_inline struct evictd_notify_row *row_at(__u32 one_based)
{
	__u32 index = one_based - 1;

	return one_based ? bpf_map_lookup_elem(&notify_rows, &index) : NULL;
}

/* Results of the programs below, negative errno values. */
#define BUSY	-16
#define GONE	-19
#define INVALID -22
#define FULL	-28

/* Activates `next` at `reading` and returns its position. The exchange comes last: a CPU that finds
 * the row live also finds its window. */
static __always_inline __u32 begin(struct evictd_notify_row *next, const struct reading *reading)
{
	struct step step = locate(next, reading->level);

	put(next, &step);
	next->value = reading->value;
	__sync_lock_test_and_set(&next->state, EVICTD_NOTIFY_ROW_LIVE);
	return step.position;
}

/* Hooks skip a row that is not live: a move in between is reported at once. */
static __always_inline void look_again(__u32 one_based)
{
	look_at_row(one_based - 1, bpf_ktime_get_ns(), EVICTD_NOTIFY_BY_USER);
}

/* The first row of a value. ENODEV: the cgroup is gone; ENOSPC: the ring is full. */
SEC("syscall")
int notify_begin(struct evictd_notify_switch *order)
{
	__u32 one_based = order->next;
	struct evictd_notify_row *next = row_at(one_based);
	struct evictd_notify_record *record;
	__u64 now = bpf_ktime_get_ns();
	struct reading reading = {};
	__u32 position;

	if (!next)
		return INVALID;
	if (!read_row(next, now, &reading))
		return GONE;
	record = reserve_record();
	if (!record)
		return FULL;
	position = begin(next, &reading);
	*record = (struct evictd_notify_record){.kind = EVICTD_NOTIFY_SWITCHED,
						.origin = EVICTD_NOTIFY_BY_USER,
						.ktime_ns = now,
						.value = reading.value,
						.cgroup = next->cgroup,
						.row = one_based - 1,
						.generation = next->generation,
						.position = position};
	bpf_ringbuf_submit(record, 0);
	look_again(one_based);
	return 0;
}

/* `old` is locked. */
static __always_inline int hand_over(struct evictd_notify_row *old, struct evictd_notify_row *next,
				     const struct evictd_notify_switch *order)
{
	struct evictd_notify_record *record;
	__u64 now = bpf_ktime_get_ns();
	struct reading reading = {};
	struct step last;
	__u32 position;

	if (old->state != EVICTD_NOTIFY_ROW_LIVE || !read_row(old, now, &reading))
		return GONE;
	last = locate(old, reading.level);
	record = reserve_record();
	if (!record)
		return FULL;
	next->rate = old->rate;
	next->rate_usage = old->rate_usage;
	next->rate_ktime_ns = old->rate_ktime_ns;
	next->looks = old->looks;
	old->state = EVICTD_NOTIFY_ROW_FREE;
	position = begin(next, &reading);
	*record =
	    (struct evictd_notify_record){.kind = EVICTD_NOTIFY_SWITCHED,
					  .origin = EVICTD_NOTIFY_BY_USER,
					  .ktime_ns = now,
					  .value = reading.value,
					  .moves = old->moves + (last.position != old->position),
					  .cgroup = next->cgroup,
					  .row = order->next - 1,
					  .generation = next->generation,
					  .from = old->position,
					  .to = last.position,
					  .replaced = order->old,
					  .position = position};
	bpf_ringbuf_submit(record, 0);
	return 0;
}

/*
 * Replaces row `old` by `next` at one value, so that no crossing is lost or reported twice. EBUSY:
 * another CPU moves `old`, try again. Other errors as notify_begin.
 */
SEC("syscall")
int notify_switch(struct evictd_notify_switch *order)
{
	struct evictd_notify_switch wanted = *order;
	struct evictd_notify_row *old = row_at(wanted.old);
	struct evictd_notify_row *next;
	int error;

	if (!old)
		return INVALID;
	next = row_at(wanted.next);
	if (!next)
		return INVALID;
	if (!lock_row(old))
		return BUSY;
	error = hand_over(old, next, &wanted);
	unlock_row(old);
	if (!error)
		look_again(wanted.next);
	return error;
}

/* Deactivates row `old`. EBUSY: try again. */
SEC("syscall")
int notify_end(struct evictd_notify_switch *order)
{
	struct evictd_notify_row *old = row_at(order->old);

	if (!old)
		return INVALID;
	if (!lock_row(old))
		return BUSY;
	old->state = EVICTD_NOTIFY_ROW_FREE;
	unlock_row(old);
	return 0;
}

/* Addresses of a cgroup's counters; user space runs it on an open directory, any hierarchy. */
SEC("iter/cgroup")
int notify_resolve(struct bpf_iter__cgroup *ctx)
{
	struct cgroup *cgroup = ctx->cgroup;
	struct cgroup_subsys_state *memory;
	struct evictd_notify_resolved resolved = {};

	if (!cgroup)
		return 0;
	memory = cgroup_css(cgroup, memory_subsys());
	resolved.cgroup = cgroup_key(cgroup);
	resolved.memory_counter = memory_counter_of(memory);
	resolved.swap_counter = swap_counter_of(memory);
	resolved.inactive_file = inactive_file_of(memory);
	resolved.pids_counter = pids_counter_of(cgroup_css(cgroup, pids_subsys()));
	resolved.level = BPF_CORE_READ(cgroup, level);
	bpf_seq_write(ctx->meta->seq, &resolved, sizeof(resolved));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
