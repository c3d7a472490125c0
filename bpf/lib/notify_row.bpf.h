/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 4: the value of a row, and its position among its edges. */
#ifndef EVICTD_BPF_NOTIFY_ROW_H
#define EVICTD_BPF_NOTIFY_ROW_H

#include "notify_maps.bpf.h"
#include "owner.bpf.h"

/* Growth is measured over a tenth of a second; over less, a charge batch would be a spike. */
#define RATE_WINDOW_NS 100000000ULL
#define WHOLE_LIMIT    EVICTD_NOTIFY_WHOLE
#define PID_MAX_LIMIT  (1ULL << 22) /* on 64 bits; what is above it is no limit */

/* The value in the unit of limits: pages, or tasks. */
static __always_inline __u64 read_amount(const struct evictd_notify_row *row)
{
	struct node_pages machine;
	__u64 amount;

	if (row->signal == EVICTD_NOTIFY_PIDS)
		return row->machine ? pids_at(notify_pid_allocated) : read_u64(row->counter);
	if (row->machine) {
		machine = sum_nodes(notify_vm_stat);
		if (row->signal == EVICTD_NOTIFY_WORKING_SET)
			return minus_floored(machine.used, machine.inactive);
		return machine.used;
	}
	amount = read_u64(row->counter);
	if (row->signal == EVICTD_NOTIFY_WORKING_SET)
		return minus_floored(amount, inactive_pages(row->second));
	if (row->signal == EVICTD_NOTIFY_MEMSW && row->second)
		return amount + read_u64(row->second);
	return amount;
}

/* The limit in the unit of read_amount(), EVICTD_NEVER for none. */
static __always_inline __u64 read_limit(const struct evictd_notify_row *row)
{
	__u64 limit, swap;

	if (row->machine)
		return EVICTD_NEVER;
	if (row->signal == EVICTD_NOTIFY_PIDS) {
		limit = pids_limit_of(row->counter);
		return limit > PID_MAX_LIMIT ? EVICTD_NEVER : limit;
	}
	limit = limit_of_counter(row->counter, cfg_page_shift);
	if (limit != EVICTD_NEVER && row->signal == EVICTD_NOTIFY_MEMSW && row->second) {
		swap = limit_of_counter(row->second, cfg_page_shift);
		return swap == EVICTD_NEVER ? EVICTD_NEVER : limit + swap;
	}
	return limit;
}

/* Growth in bytes a second from the lowest usage in the window, so that freed memory hides no
 * growth. Keeps the last window's rate until the next window is complete. */
static __always_inline __u64 read_rate(struct evictd_notify_row *row, __u64 usage, __u64 now)
{
	__u64 elapsed = now - row->rate_ktime_ns;

	if (!row->rate_ktime_ns) {
		row->rate_usage = usage;
		row->rate_ktime_ns = now;
		return 0;
	}
	if (usage < row->rate_usage)
		row->rate_usage = usage;
	if ((__s64)elapsed < (__s64)RATE_WINDOW_NS)
		return row->rate;
	/* Microseconds, so that the product fits: 16 TiB of growth do. */
	row->rate = minus_floored(usage, row->rate_usage) * 1000000 / (elapsed / 1000);
	row->rate_usage = usage;
	row->rate_ktime_ns = now;
	return row->rate;
}

static __always_inline struct cgroup_subsys_state *css_of(const struct evictd_notify_row *row)
{
	if (row->signal == EVICTD_NOTIFY_PIDS)
		return css_of_pids_counter(row->counter);
	if (row->signal == EVICTD_NOTIFY_MEMSW && !row->second)
		return css_of_swap_counter(row->counter);
	return css_of_memory_counter(row->counter);
}

/* Call it after the counter was read. */
static __always_inline bool is_still_its_own(const struct evictd_notify_row *row)
{
	struct cgroup_subsys_state *css = css_of(row);

	return owner_of_css(css) == row->cgroup.id && !css_is_dying(css);
}

struct reading {
	__u64 value; /* in the signal's own unit */
	__u64 level; /* in the unit of the edges */
};

/*
 * False: the cgroup is gone. Not static: the verifier walks it once per program, not once per call.
 * It does not know the callers of such a function, so it treats the pointers as unknown.
 */
__weak __noinline bool read_row(struct evictd_notify_row *row, __u64 now, struct reading *reading)
{
	__u64 amount, limit;

	if (!row || !reading || !row->counter)
		return false;
	amount = read_amount(row);
	reading->value = row->signal == EVICTD_NOTIFY_PIDS ? amount : amount << cfg_page_shift;
	if (row->signal == EVICTD_NOTIFY_RATE)
		reading->value = read_rate(row, reading->value, now);
	reading->level = reading->value;
	if (row->unit == EVICTD_NOTIFY_OF_LIMIT) {
		limit = read_limit(row);
		reading->level = 0;
		if (limit != EVICTD_NEVER)
			reading->level = amount * WHOLE_LIMIT / (limit ? limit : 1);
	}
	return is_still_its_own(row);
}

/*
 * Whether a check would find the same as the last one: the plain value of a live cgroup, within its
 * window. Costs two reads, a check some six. Rows that depend on a limit, on time or on a second
 * counter are always checked.
 */
static __always_inline bool stands_still(const struct evictd_notify_row *row)
{
	__u64 value;

	if ((row->signal != EVICTD_NOTIFY_USAGE && row->signal != EVICTD_NOTIFY_MEMSW) ||
	    row->unit != EVICTD_NOTIFY_ABSOLUTE || row->second || row->machine || row->again)
		return false;
	value = read_u64(row->counter) << cfg_page_shift;
	return value == row->value && value >= row->low && value < row->high &&
	       !css_is_dying(css_of(row));
}

/* A position and its window. */
struct step {
	__u64 low;
	__u64 high;
	__u32 position;
};

/* Edges below `from` are <= level, those from `to` on are above it. */
struct search {
	__u64 level;
	__u32 first;
	__u32 from;
	__u32 to;
};

static __always_inline __u64 edge_or(__u32 index, __u64 otherwise)
{
	__u64 *edge = bpf_map_lookup_elem(&notify_edges, &index);

	return edge ? *edge : otherwise;
}

static long halve(__u32 i, struct search *search)
{
	__u32 middle = search->from + (search->to - search->from) / 2;

	if (search->from >= search->to)
		return 1;
	if (edge_or(search->first + middle, EVICTD_NEVER) <= search->level)
		search->from = middle + 1;
	else
		search->to = middle;
	return 0;
}

/* Halvings until one of any number of edges is left. */
#define MAX_HALVINGS 33

/* The position of `level` among the edges of `row`. */
static __always_inline struct step locate(const struct evictd_notify_row *row, __u64 level)
{
	struct search search = {.level = level, .first = row->first, .to = row->count};
	struct step step = {.high = EVICTD_NEVER};

	bpf_loop(MAX_HALVINGS, halve, &search, 0);
	step.position = search.from;
	if (step.position)
		step.low = edge_or(row->first + step.position - 1, 0);
	if (step.position < row->count)
		step.high = edge_or(row->first + step.position, EVICTD_NEVER);
	return step;
}

static __always_inline void put(struct evictd_notify_row *row, const struct step *step)
{
	row->position = step->position;
	row->low = step->low;
	row->high = step->high;
}

static __always_inline bool lock_row(struct evictd_notify_row *row)
{
	return __sync_lock_test_and_set(&row->busy, 1) == 0;
}

/* An exchange, not a store, so that later reads are not moved before it. */
static __always_inline void unlock_row(struct evictd_notify_row *row)
{
	__sync_lock_test_and_set(&row->busy, 0);
}

#endif
