// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * sweep: the timer that checks thresholds between two charges, and the rows for user space.
 *
 * Slow ticks (10 a second) check every watch. They refresh the rows, most of a tick's cost, every
 * time while memory is being charged, and once a second otherwise. Fast ticks check only watches
 * that a hook kicked within the kick window, and a budget limits them (pay_fast_tick): a pod that
 * stays near a threshold, or moves back and forth there, costs a bounded number of ticks.
 *
 * A tick runs in softirq context (hrtimer, soft mode). It walks no cgroups: it reads counters by
 * address, and then checks that the address still belongs to its cgroup, and is not dying.
 */
#include "lib/kick.bpf.h"
#include "lib/load.bpf.h"
#include "lib/look.bpf.h"
#include "lib/owner.bpf.h"

#define ROW_RATE_WINDOW_NS 100000000ULL
#define ROWS_MOVING_NS	   100000000ULL
#define ROWS_RESTING_NS	   1000000000ULL
#define MOVING_CHARGES	   8  /* fewer batches charged since: the node is at rest */
#define COMPARE_ALL_EVERY  10 /* slow ticks */

struct evictd_schedule schedule = {};

static __always_inline __s64 rate_of(__u64 before, __u64 after, __u64 elapsed)
{
	__s64 change = (__s64)(after - before);
	bool falling = change < 0;
	__u64 rate = (__u64)(falling ? -change : change) / 1000 * NSEC_PER_SEC / elapsed * 1000;

	return falling ? -(__s64)rate : (__s64)rate;
}

static __always_inline void update_row_rate(struct evictd_row *row, struct evictd_target *target,
					    __u64 now)
{
	__u64 working_set = minus_floored(row->usage_bytes, row->inactive_file_bytes);
	__s64 elapsed = now - target->rate_ktime_ns;

	if (elapsed < (__s64)ROW_RATE_WINDOW_NS)
		return;
	if (target->rate_ktime_ns) {
		row->rate_bytes_per_s =
		    rate_of(target->rate_usage_bytes, row->usage_bytes, elapsed);
		row->working_set_rate_bytes_per_s =
		    rate_of(target->rate_working_set_bytes, working_set, elapsed);
	}
	target->rate_usage_bytes = row->usage_bytes;
	target->rate_working_set_bytes = working_set;
	target->rate_ktime_ns = now;
}

/* Counts as is_still_of(). */
static __always_inline bool load_is_still(const struct cgroup_subsys_state *css, __u64 serial)
{
	if (load_serial(css) != serial) {
		__sync_fetch_and_add(&stats.stale_rows, 1);
		return false;
	}
	if (load_dying(css)) {
		__sync_fetch_and_add(&stats.dying_rows, 1);
		return false;
	}
	return true;
}

static __always_inline void refresh_memory(struct evictd_row *row, struct evictd_target *target,
					   __u64 now)
{
	__u64 counter = target->memory_counter;
	__u64 usage, limit_pages;

	if (!counter)
		return;
	usage = load_u64(counter) << cfg_page_shift;
	limit_pages = load_limit(counter);
	row->usage_bytes = usage;
	row->inactive_file_bytes = load_pages(target->inactive_file) << cfg_page_shift;
	row->limit_bytes =
	    limit_pages == EVICTD_NEVER ? EVICTD_NEVER : limit_pages << cfg_page_shift;
	update_row_rate(row, target, now);
	if (!load_is_still(css_of_memory_counter(counter), target->memory_serial))
		target->memory_counter = 0;
}

EVICTD_STEP int refresh_slot(__u32 slot, __u64 now)
{
	struct evictd_target *target = bpf_map_lookup_elem(&targets, &slot);
	struct evictd_row *row = bpf_map_lookup_elem(&rows, &slot);

	if (!target || !row)
		return 0;
	if (row->generation != target->generation) {
		row->rate_bytes_per_s = 0;
		row->working_set_rate_bytes_per_s = 0;
		row->flags = 0;
		row->generation = target->generation;
	}
	refresh_memory(row, target, now);
	if (target->pids_counter) {
		row->tasks = load_u64(target->pids_counter);
		if (!load_is_still(css_of_pids_counter(target->pids_counter), target->pids_serial))
			target->pids_counter = 0;
	}
	row->flags = (target->memory_counter ? EVICTD_ROW_MEMORY : 0) |
		     (target->pids_counter ? EVICTD_ROW_TASKS : 0);
	row->stall_ns = target->stall_ns;
	row->ktime_ns = now;
	return 0;
}

static long refresh_row(__u32 slot, __u64 *now)
{
	refresh_slot(slot, *now);
	return 0;
}

static __always_inline void refresh_all(__u64 now)
{
	EVICTD_REPEAT(slot_limit, EVICTD_MAX_ROWS, refresh_row, &now);
	read_node(now);
	read_at_hand(now);
	__sync_fetch_and_add(&stats.row_refreshes, 1);
}

struct look {
	__u64 now;
	__u64 period; /* shortest time to any threshold */
	__u32 origin;
	__u32 all; /* compare even within the bounds */
};

EVICTD_STEP int look_at_one(__u32 index, __u64 now, __u32 origin, __u32 all)
{
	struct evictd_watch *watch = bpf_map_lookup_elem(&watches, &index);

	if (!watch)
		return 0;
	if (all)
		watch->force = 1;
	look_at(index, now, origin);
	return 0;
}

static long look_at_each(__u32 index, struct look *look)
{
	look_at_one(index, look->now, look->origin, look->all);
	return 0;
}

static long look_at_hot(__u32 i, struct look *look)
{
	__u32 index = schedule.hot[i % EVICTD_HOT_SLOTS];
	struct evictd_watch *watch;
	__u64 period;

	if (!index--)
		return 0;
	watch = bpf_map_lookup_elem(&watches, &index);
	/* Signed: a kick on another CPU may be later than this tick's `now`. */
	if (!watch || (__s64)(look->now - watch->kick_ktime_ns) > (__s64)cfg_kick_window_ns) {
		schedule.hot[i % EVICTD_HOT_SLOTS] = 0;
		return 0;
	}
	period = look_at(index, look->now, EVICTD_ORIGIN_TICK);
	if (period < look->period)
		look->period = period;
	return 0;
}

static long add_charges(__u32 slot, __u64 *sum)
{
	*sum += cpu_stats[slot & (EVICTD_CPU_SLOTS - 1)].charges;
	return 0;
}

static __always_inline bool rows_are_due(__u64 now)
{
	__u64 age = now - schedule.rows_ktime_ns;
	__u64 charges = 0;
	bool moving;

	EVICTD_REPEAT(EVICTD_CPU_SLOTS, EVICTD_CPU_SLOTS, add_charges, &charges);
	moving = charges - schedule.rows_charges >= MOVING_CHARGES;
	if (age < (moving ? ROWS_MOVING_NS : ROWS_RESTING_NS))
		return false;
	schedule.rows_ktime_ns = now;
	schedule.rows_charges = charges;
	return true;
}

static __always_inline __u64 slow_period(__u64 now)
{
	return now < schedule.stall_until_ns ? cfg_base_period_ns / 10 : cfg_base_period_ns;
}

static int tick(void *map, __u32 *key, struct evictd_timer *sweep)
{
	struct look look = {
	    .now = bpf_ktime_get_ns(),
	    .period = EVICTD_NEVER,
	    .origin = EVICTD_ORIGIN_TICK,
	};
	struct ticker ticker = sweep_ticker();
	__u64 kicks = schedule.pace.kicks;

	stats.ticks++;
	stats.last_tick_ktime_ns = look.now;
	if (look.now >= schedule.pace.next_slow_ns) {
		look.all = schedule.slow_ticks++ % COMPARE_ALL_EVERY == 0;
		EVICTD_REPEAT(watch_limit, EVICTD_MAX_WATCHES, look_at_each, &look);
		schedule.pace.next_slow_ns = look.now + slow_period(look.now);
		if (rows_are_due(look.now)) {
			refresh_all(look.now);
			/* The loop over many rows takes time: reads the hot watches now. */
			look.now = bpf_ktime_get_ns();
		}
	} else {
		stats.fast_ticks++;
	}
	EVICTD_REPEAT(EVICTD_HOT_SLOTS, EVICTD_HOT_SLOTS, look_at_hot, &look);

	arm_next(&ticker, sweep, look.now, kicks, look.period);
	return 0;
}

/* User space runs it before anything else, and after a disagreement about the node. Without every
 * node there is no reading of the machine. */
EVICTD_RUN_BY_USER_SPACE
int sweep_locate(void *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	find_node_stats(task, cfg_node_ids, node_vm_stat, &nodes_found);
	node.nodes = nodes_found < nodes_with_memory ? 0 : nodes_found;
	node.zones = node.nodes ? zones_of_node() : 0;
	pid_allocated_address = find_pid_allocated(task);
	own_tgid = bpf_get_current_pid_tgid() >> 32;
	read_node(bpf_ktime_get_ns());
	return 0;
}

EVICTD_RUN_BY_USER_SPACE
int sweep_start(void *ctx)
{
	struct ticker ticker = sweep_ticker();
	__u64 now = bpf_ktime_get_ns();

	stats.last_tick_ktime_ns = now;
	return start_ticks(&ticker, timer_of_sweep(), &sweep_timer, tick, now);
}

/* At the start of a pass: reads all rows and the node. */
EVICTD_RUN_BY_USER_SPACE
int sweep_refresh(void *ctx)
{
	refresh_all(bpf_ktime_get_ns());
	return 0;
}

/* After a loss: reports the state of every threshold again. */
EVICTD_RUN_BY_USER_SPACE
int sweep_resync(void *ctx)
{
	struct look look = {.now = bpf_ktime_get_ns(), .origin = EVICTD_ORIGIN_RESYNC, .all = 1};

	EVICTD_REPEAT(watch_limit, EVICTD_MAX_WATCHES, look_at_each, &look);
	refresh_all(look.now);
	return 0;
}

/* After new thresholds: reports those that are already exceeded. */
EVICTD_RUN_BY_USER_SPACE
int sweep_compare(void *ctx)
{
	struct look look = {.now = bpf_ktime_get_ns(), .origin = EVICTD_ORIGIN_TICK, .all = 1};

	EVICTD_REPEAT(watch_limit, EVICTD_MAX_WATCHES, look_at_each, &look);
	return 0;
}
