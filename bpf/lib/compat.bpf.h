/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layer 1: everything that depends on how a kernel lays things out, behind verbs.
 *
 * All reads go through bpf_probe_read_kernel (BPF_CORE_READ), so that the same function serves
 * tp_btf, fentry, kprobe, iterator and timer programs, and a stale address reads as nothing. What
 * is read for every row goes a shorter way where there is one (load.bpf.h).
 */
#ifndef EVICTD_BPF_COMPAT_H
#define EVICTD_BPF_COMPAT_H

#include <vmlinux.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "evictd/abi/types.h"
#include "repeat.bpf.h"

#define EVICTD_MAX_NODES 64
/* Most NUMA nodes that are walked; machines with memory on more nodes are polled. The verifier
 * walks each turn of a bounded loop, and the search with each number of nodes found so far. */
#ifdef EVICTD_BOUNDED
#define EVICTD_WALKED_NODES 8
#else
#define EVICTD_WALKED_NODES EVICTD_MAX_NODES
#endif
#define EVICTD_NEVER	(~0ULL)
#define NSEC_PER_SEC	1000000000ULL
#define CLOCK_MONOTONIC 1

/* Most levels of a walk up. The kubelet's deepest container is at level 5, but cgroups inside a
 * container nest freely, and their charges count for the pod at any depth. The kernel's own charge
 * walks the same way without a bound. This one is only for the verifier, which walks each level
 * without bpf_loop(). */
#ifdef EVICTD_BOUNDED
#define EVICTD_MAX_LEVELS 64
#else
#define EVICTD_MAX_LEVELS 256
#endif

static __always_inline __u64 read_u64(__u64 address)
{
	__u64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), (const void *)address);
	return value;
}

/* The css of one controller; NULL if the css_set or cgroup lacks it. The index is an enum that
 * depends on the kernel configuration (pids_cgrp_id is 11 on one 6.18, 13 on Debian's 6.1). */
static __always_inline struct cgroup_subsys_state *css_at(const void *subsys_array, __u64 index)
{
	return (void *)read_u64((__u64)subsys_array + index * sizeof(void *));
}

static __always_inline __u64 memory_subsys(void)
{
	return bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id);
}

static __always_inline __u64 pids_subsys(void)
{
	return bpf_core_enum_value(enum cgroup_subsys_id, pids_cgrp_id);
}

static __always_inline struct cgroup_subsys_state *task_css(struct task_struct *task, __u64 subsys)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);

	return set ? css_at((void *)set + bpf_core_field_offset(struct css_set, subsys), subsys)
		   : 0;
}

static __always_inline struct cgroup_subsys_state *cgroup_css(struct cgroup *cgroup, __u64 subsys)
{
	return css_at((void *)cgroup + bpf_core_field_offset(struct cgroup, subsys), subsys);
}

/* Address of the memory counter of a memory css, 0 for none. */
static __always_inline __u64 memory_counter_of(struct cgroup_subsys_state *css)
{
	if (!css)
		return 0;
	return (__u64)css - bpf_core_field_offset(struct mem_cgroup, css) +
	       bpf_core_field_offset(struct mem_cgroup, memory);
}

static __always_inline __u64 pids_counter_of(struct cgroup_subsys_state *css)
{
	if (!css)
		return 0;
	return (__u64)css - bpf_core_field_offset(struct pids_cgroup, css) +
	       bpf_core_field_offset(struct pids_cgroup, counter);
}

/* Address of the counter of memory plus swap, on v2 of swap alone; 0 for none. */
static __always_inline __u64 swap_counter_of(struct cgroup_subsys_state *css)
{
	if (!css)
		return 0;
	return (__u64)css - bpf_core_field_offset(struct mem_cgroup, css) +
	       bpf_core_field_offset(struct mem_cgroup, memsw);
}

/* The parent of `counter`; 0 above the root of the hierarchy. */
static __always_inline __u64 parent_counter(__u64 counter)
{
	return (__u64)BPF_CORE_READ((struct page_counter *)counter, parent);
}

/* `max` of a counter, in pages; EVICTD_NEVER for none, which is LONG_MAX / PAGE_SIZE there
 * (PAGE_COUNTER_MAX). */
static __always_inline __u64 limit_from(__u64 max, __u32 page_shift)
{
	return max >= ~0ULL >> 1 >> page_shift ? EVICTD_NEVER : max;
}

static __always_inline __u64 limit_of_counter(__u64 counter, __u32 page_shift)
{
	return limit_from(BPF_CORE_READ((struct page_counter *)counter, max), page_shift);
}

/* As parent_counter() for a pids counter, which has no pointer to its parent. */
static __always_inline __u64 parent_pids_counter(__u64 counter)
{
	struct pids_cgroup *pids =
	    (void *)counter - bpf_core_field_offset(struct pids_cgroup, counter);

	return pids_counter_of(BPF_CORE_READ(pids, css.parent));
}

/* The limit of a pids counter; above every pid without a limit. */
static __always_inline __u64 pids_limit_of(__u64 counter)
{
	struct pids_cgroup *pids =
	    (void *)counter - bpf_core_field_offset(struct pids_cgroup, counter);

	return BPF_CORE_READ(pids, limit.counter);
}

/* Up to 5.12. */
struct mem_cgroup___array {
	atomic_long_t vmstats[1];
} __attribute__((preserve_access_index));

/*
 * Address of the subtree's inactive_file pages, as memory.stat shows them.
 *
 * The statistics are an array in the mem_cgroup itself up to 5.12, and behind a pointer since 6.1.
 * Up to 6.9 the array is indexed by the statistic itself; since ff48c71c26aa ("memcg: reduce memory
 * for the lruvec and memcg stats", 6.10) by a table that begins with the LRU lists in their order.
 * For these few the two agree, so no table is needed.
 */
static __always_inline __u64 inactive_file_of(struct cgroup_subsys_state *css)
{
	struct mem_cgroup *memcg;
	__u64 vmstats;

	if (!css)
		return 0;
	memcg = (void *)css - bpf_core_field_offset(struct mem_cgroup, css);
	if (bpf_core_field_exists(struct mem_cgroup___array, vmstats))
		return (__u64)memcg + bpf_core_field_offset(struct mem_cgroup___array, vmstats) +
		       bpf_core_enum_value(enum node_stat_item, NR_INACTIVE_FILE) * sizeof(long);
	if (!bpf_core_field_exists(struct mem_cgroup, vmstats))
		return 0;
	vmstats = (__u64)BPF_CORE_READ(memcg, vmstats);
	if (!vmstats)
		return 0;
	return vmstats + bpf_core_field_offset(struct memcg_vmstats, state) +
	       bpf_core_enum_value(enum node_stat_item, NR_INACTIVE_FILE) * sizeof(long);
}

/* A statistic in pages; it may be negative for a moment while per-CPU parts are folded in. */
static __always_inline __u64 pages_from(__u64 statistic)
{
	return (__s64)statistic > 0 ? statistic : 0;
}

/* Pages of inactive file cache at an address from inactive_file_of(). */
static __always_inline __u64 inactive_pages(__u64 address)
{
	return pages_from(read_u64(address));
}

static __always_inline __u64 minus_floored(__u64 a, __u64 b)
{
	return a > b ? a - b : 0;
}

static __always_inline struct evictd_cgroup_key cgroup_key(struct cgroup *cgroup)
{
	struct evictd_cgroup_key key = {};

	key.id = BPF_CORE_READ(cgroup, kn, id);
	key.hierarchy = BPF_CORE_READ(cgroup, root, hierarchy_id);
	return key;
}

/* Before 7f203bc89eb6 ("cgroup: Replace cgroup->ancestor_ids[] with ->ancestors[]", 6.1). */
struct cgroup___ids {
	__u64 ancestor_ids[1];
} __attribute__((preserve_access_index));

/* Id of the ancestor at `level`; may be the cgroup itself. */
static __always_inline __u64 ancestor_id(struct cgroup *cgroup, __u32 level)
{
	struct cgroup *ancestor;

	if (bpf_core_field_exists(struct cgroup___ids, ancestor_ids))
		return read_u64((__u64)cgroup +
				bpf_core_field_offset(struct cgroup___ids, ancestor_ids) +
				level * sizeof(__u64));
	ancestor =
	    (void *)read_u64((__u64)cgroup + bpf_core_field_offset(struct cgroup, ancestors) +
			     level * sizeof(void *));
	return BPF_CORE_READ(ancestor, kn, id);
}

#endif
