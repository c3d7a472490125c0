/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layer 2: everything that depends on how a kernel lays things out, behind verbs.
 *
 * All reads go through bpf_probe_read_kernel (BPF_CORE_READ), so that the same function serves
 * tp_btf, fentry, kprobe, iterator and timer programs, and a stale address reads as nothing.
 */
#ifndef EVICTD_BPF_COMPAT_H
#define EVICTD_BPF_COMPAT_H

#include "maps.bpf.h"

static __always_inline __u64 read_u64(__u64 address)
{
	__u64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), (const void *)address);
	return value;
}

/* css of one controller, NULL if the css_set or cgroup has none. The index is an enum that differs
 * by kernel configuration (pids_cgrp_id is 11 on one 6.18, 13 on Debian's 6.1). */
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

/* Address of the memory counter behind a memory css, 0 for none. */
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

/* The counter that also counts what `counter` does, 0 above the root of the hierarchy. */
static __always_inline __u64 parent_counter(__u64 counter)
{
	return (__u64)BPF_CORE_READ((struct page_counter *)counter, parent);
}

/* The same of a pids counter, which has no pointer of its own to the one above. */
static __always_inline __u64 parent_pids_counter(__u64 counter)
{
	struct pids_cgroup *pids =
	    (void *)counter - bpf_core_field_offset(struct pids_cgroup, counter);

	return pids_counter_of(BPF_CORE_READ(pids, css.parent));
}

/*
 * Address of the subtree's inactive_file pages, as memory.stat shows them.
 *
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
	vmstats = (__u64)BPF_CORE_READ(memcg, vmstats);
	if (!vmstats)
		return 0;
	return vmstats + bpf_core_field_offset(struct memcg_vmstats, state) +
	       bpf_core_enum_value(enum node_stat_item, NR_INACTIVE_FILE) * sizeof(long);
}

/*
 * The cgroup that a counter belongs to now, by the way back from the counter: memory that was given
 * to another cgroup names that one, and what it was given to other than that names none of ours.
 */
static __always_inline __u64 owner_of_memory_counter(__u64 counter)
{
	struct mem_cgroup *memcg =
	    (void *)counter - bpf_core_field_offset(struct mem_cgroup, memory);

	return BPF_CORE_READ(memcg, css.cgroup, kn, id);
}

static __always_inline __u64 owner_of_pids_counter(__u64 counter)
{
	struct pids_cgroup *pids =
	    (void *)counter - bpf_core_field_offset(struct pids_cgroup, counter);

	return BPF_CORE_READ(pids, css.cgroup, kn, id);
}

static __always_inline struct evictd_cgroup_key cgroup_key(struct cgroup *cgroup)
{
	struct evictd_cgroup_key key = {};

	key.id = BPF_CORE_READ(cgroup, kn, id);
	key.hierarchy = BPF_CORE_READ(cgroup, root, hierarchy_id);
	return key;
}

/* The ancestor at `level`, the cgroup itself included (ancestors[] since 7f203bc89eb6, 6.1). */
static __always_inline struct cgroup *cgroup_ancestor(struct cgroup *cgroup, __u32 level)
{
	return (void *)read_u64((__u64)cgroup + bpf_core_field_offset(struct cgroup, ancestors) +
				level * sizeof(void *));
}

#endif
