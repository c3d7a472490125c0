// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * memcg: notices growth of a memory cgroup as it happens.
 *
 * Rows, best first (userspace/probe/attach_table.cpp):
 *
 * fentry/page_counter_try_charge: called by try_charge_memcg() once per charge batch (64 pages of
 * 4 KiB memory per CPU), before the page is allocated, in the requesting task. Its cost is below
 * measurement noise.
 *
 * kprobe/page_counter_try_charge: the same place. Must not touch the timer, and needs no kick: a
 * batch is 256 KiB.
 *
 * tp_btf/mod_memcg_state: if neither is allowed. Fires for kernel memory of the cgroup, thus at
 * least once per 2 MiB of fresh mappings (their page table), and for page cache. The timer covers
 * the last 4 MiB.
 *
 * tp_btf/mod_memcg_lruvec_state: option. Every page; costs 7..10 % of a page fault.
 *
 * Each hook only signals a change. The programs read the values from the counters, up to the root
 * of the hierarchy, because a charge counts for every ancestor. Growth without a charge (use of
 * per-CPU stock, memory of the root cgroup, swap-in within a batch) waits for the next charge or
 * tick.
 */
#include "lib/climb.bpf.h"
#include "lib/kick.bpf.h"
#include "lib/look.bpf.h"

static __always_inline void look_and_kick(__u32 one_based, __u64 now)
{
	if (one_based)
		kick(one_based - 1, now, look_at(one_based - 1, now, EVICTD_ORIGIN_CHARGE));
}

static __always_inline void look_only(__u32 one_based, __u64 now)
{
	if (one_based)
		look_at(one_based - 1, now, EVICTD_ORIGIN_CHARGE);
}

struct charge {
	struct climb climb;
	__u64 now;
};

static __always_inline long look_at_level(struct charge *charge, bool may_kick)
{
	struct evictd_counter *found = climb_find(&charge->climb, &counters);

	if (found && may_kick) {
		look_and_kick(found->working_set_watch, charge->now);
		look_and_kick(found->usage_watch, charge->now);
	} else if (found) {
		look_only(found->working_set_watch, charge->now);
		look_only(found->usage_watch, charge->now);
	}
	return climb_to(&charge->climb, parent_counter(charge->climb.counter));
}

/* Two steps: a program that must not touch the timer must not even contain such code. */
static long look_and_kick_at_level(__u32 level, struct charge *charge)
{
	return look_at_level(charge, true);
}

static long look_only_at_level(__u32 level, struct charge *charge)
{
	return look_at_level(charge, false);
}

/* Walks from the charged counter to its hierarchy's root. */
static __always_inline void handle_charge(__u64 counter, bool may_kick)
{
	struct charge charge = {.climb = {.counter = counter}};
	__u64 now;

	if (!watch_limit)
		return;
	now = bpf_ktime_get_ns();
	charge.now = now;
	EVICTD_COUNT(charges);
	if (may_kick)
		EVICTD_CLIMB(&charge, look_and_kick_at_level);
	else
		EVICTD_CLIMB(&charge, look_only_at_level);
	if (node_memory_watch && may_kick)
		look_and_kick(node_memory_watch, now);
	else
		look_only(node_memory_watch, now);
	/* The reserve is reported a horizon ahead, so that rare checks are enough. */
	if (guard_watch && guard_takes_a_look(now))
		look_only(guard_watch, now);
}

static __always_inline __u64 counter_of(const struct mem_cgroup *memcg)
{
	return memcg ? (__u64)memcg + bpf_core_field_offset(struct mem_cgroup, memory) : 0;
}

/* Also runs for swap, kernel and hugetlb counters, which are not in `counters`. */
SEC("fentry/page_counter_try_charge")
int BPF_PROG(memcg_charge_fentry, struct page_counter *counter)
{
	handle_charge((__u64)counter, true);
	return 0;
}

SEC("kprobe/page_counter_try_charge")
int BPF_KPROBE(memcg_charge_kprobe, struct page_counter *counter)
{
	handle_charge((__u64)counter, false);
	return 0;
}

SEC("tp_btf/mod_memcg_state")
int BPF_PROG(memcg_state_tp, struct mem_cgroup *memcg)
{
	handle_charge(counter_of(memcg), true);
	return 0;
}

/* One check per 16 pages of a CPU: finds crossings within 64 KiB of that CPU's charges. */
#define PAGES_PER_LOOK 16

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} page_events SEC(".maps");

SEC("tp_btf/mod_memcg_lruvec_state")
int BPF_PROG(memcg_lruvec_tp, struct mem_cgroup *memcg)
{
	__u32 zero = 0;
	__u32 *seen = bpf_map_lookup_elem(&page_events, &zero);

	if (seen && ++*seen % PAGES_PER_LOOK == 0)
		handle_charge(counter_of(memcg), true);
	return 0;
}
