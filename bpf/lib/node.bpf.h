/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 2: values of the machine, which no cgroup counter has. */
#ifndef EVICTD_BPF_NODE_H
#define EVICTD_BPF_NODE_H

#include "compat.bpf.h"

struct node_pages {
	__u64 used; /* NR_FILE_PAGES + NR_ANON_MAPPED */
	__u64 inactive;
};

struct node_sum {
	const __u64 *vm_stat;
	struct node_pages pages;
};

static long add_node(__u32 i, struct node_sum *sum)
{
	__u64 base = i < EVICTD_WALKED_NODES ? sum->vm_stat[i] : 0;

	if (!base)
		return 1;
	sum->pages.used +=
	    read_u64(base + bpf_core_enum_value(enum node_stat_item, NR_FILE_PAGES) * sizeof(long));
	sum->pages.used += read_u64(
	    base + bpf_core_enum_value(enum node_stat_item, NR_ANON_MAPPED) * sizeof(long));
	sum->pages.inactive += read_u64(
	    base + bpf_core_enum_value(enum node_stat_item, NR_INACTIVE_FILE) * sizeof(long));
	return 0;
}

/*
 * Sums the nodes' statistics; `vm_stat` holds their addresses. Each CPU holds back up to 125 pages
 * per item until it folds them in: the error bound is 2 x 125 pages x CPUs, as in the files.
 */
static __always_inline struct node_pages sum_nodes(const __u64 *vm_stat)
{
	struct node_sum sum = {.vm_stat = vm_stat};

	EVICTD_REPEAT(EVICTD_WALKED_NODES, EVICTD_WALKED_NODES, add_node, &sum);
	return sum.pages;
}

/* More than any kernel configuration has; only for the verifier. */
#define EVICTD_MAX_ZONES 8

/* Zones per node with readable free pages, populated or not; 0 for none. Constant for the verifier,
 * so that it never walks code whose types the kernel lacks. */
static __always_inline __u32 zones_of_node(void)
{
	if (!bpf_core_field_exists(struct pglist_data, node_zones) ||
	    !bpf_core_field_exists(struct zone, vm_stat) ||
	    !bpf_core_enum_value_exists(enum zone_stat_item, NR_FREE_PAGES) ||
	    !bpf_core_enum_value_exists(enum zone_type, __MAX_NR_ZONES) ||
	    !bpf_core_enum_value_exists(enum node_stat_item, NR_ACTIVE_FILE) ||
	    !bpf_core_enum_value_exists(enum node_stat_item, NR_SLAB_RECLAIMABLE_B) ||
	    !bpf_core_enum_value_exists(enum node_stat_item, NR_KERNEL_MISC_RECLAIMABLE))
		return 0;
	return bpf_core_enum_value(enum zone_type, __MAX_NR_ZONES);
}

/*
 * `vm_stat`: the node's. A counter may be negative for a moment; the sum is still right. Unrolled,
 * because the verifier of 6.1 rejects a loop that the compiler enters half-way.
 */
static __always_inline __u64 free_pages_of(__u64 vm_stat, __u32 zones)
{
	__u64 free = vm_stat - bpf_core_field_offset(struct pglist_data, vm_stat) +
		     bpf_core_field_offset(struct pglist_data, node_zones) +
		     bpf_core_field_offset(struct zone, vm_stat) +
		     bpf_core_enum_value(enum zone_stat_item, NR_FREE_PAGES) * sizeof(long);
	__u64 pages = 0;

#pragma unroll
	for (__u32 zone = 0; zone < EVICTD_MAX_ZONES; zone++) {
		if (zone < zones)
			pages += read_u64(free);
		free += bpf_core_type_size(struct zone);
	}
	return pages;
}

/* Free and reclaimable pages. */
struct at_hand {
	__u64 free;
	__u64 file;
	__u64 slab; /* with other reclaimable kernel memory */
};

struct at_hand_sum {
	const __u64 *vm_stat;
	struct at_hand pages;
};

static __always_inline __u64 node_pages_of(__u64 base, __u64 item)
{
	return read_u64(base + item * sizeof(long));
}

static long add_at_hand(__u32 i, struct at_hand_sum *sum)
{
	__u64 base = i < EVICTD_WALKED_NODES ? sum->vm_stat[i] : 0;
	__u32 zones = zones_of_node();

	if (!base || !zones)
		return 1;
	sum->pages.free += free_pages_of(base, zones);
	sum->pages.file +=
	    node_pages_of(base, bpf_core_enum_value(enum node_stat_item, NR_ACTIVE_FILE));
	sum->pages.file +=
	    node_pages_of(base, bpf_core_enum_value(enum node_stat_item, NR_INACTIVE_FILE));
	sum->pages.slab +=
	    node_pages_of(base, bpf_core_enum_value(enum node_stat_item, NR_SLAB_RECLAIMABLE_B));
	sum->pages.slab += node_pages_of(
	    base, bpf_core_enum_value(enum node_stat_item, NR_KERNEL_MISC_RECLAIMABLE));
	return 0;
}

/*
 * si_mem_available() subtracts its reserves from their sum. Each CPU holds back up to 125 pages of
 * each of the 4 items and of each zone's free pages; MemAvailable of /proc/meminfo lacks them too.
 */
static __always_inline struct at_hand sum_at_hand(const __u64 *vm_stat)
{
	struct at_hand_sum sum = {.vm_stat = vm_stat};

	EVICTD_REPEAT(EVICTD_WALKED_NODES, EVICTD_WALKED_NODES, add_at_hand, &sum);
	return sum.pages;
}

/* Pids in use. The top bit means that the namespace still accepts new ones (PIDNS_ADDING). */
static __always_inline __u64 pids_at(__u64 pid_allocated)
{
	return read_u64(pid_allocated) & 0x7fffffff;
}

/* State of the search for every node's statistics. */
struct node_search {
	__u64 *vm_stat;
	__u32 *found;
	__u64 zoneref; /* address of the next one to read */
	__u64 seen;    /* bit per node number */
};

static __always_inline void add_pgdat(struct node_search *search, const struct pglist_data *pgdat)
{
	__u32 nid = BPF_CORE_READ(pgdat, node_id);
	__u32 next = *search->found;

	if (nid >= EVICTD_MAX_NODES || next >= EVICTD_WALKED_NODES || search->seen >> nid & 1)
		return;
	search->seen |= 1ULL << nid;
	search->vm_stat[next] = (__u64)pgdat + bpf_core_field_offset(struct pglist_data, vm_stat);
	*search->found = next + 1;
}

static long add_node_of_zone(__u32 i, struct node_search *search)
{
	__u64 zone = read_u64(search->zoneref + bpf_core_field_offset(struct zoneref, zone));
	__u64 pgdat = zone ? read_u64(zone + bpf_core_field_offset(struct zone, zone_pgdat)) : 0;

	if (!pgdat)
		return 1; /* the end of the list */
	add_pgdat(search, (void *)pgdat);
	search->zoneref += bpf_core_type_size(struct zoneref);
	return 0;
}

/* A node from which this memory cgroup has had a page; NULL for none. */
static __always_inline struct pglist_data *node_of_memcg(const struct mem_cgroup *memcg,
							 __u32 node_ids)
{
	struct pglist_data *pgdat = NULL;

	for (__u32 nid = 0; nid < EVICTD_WALKED_NODES; nid++) {
		struct mem_cgroup_per_node *per_node;

		if (nid >= node_ids || pgdat)
			break;
		per_node = (void *)read_u64((__u64)memcg +
					    bpf_core_field_offset(struct mem_cgroup, nodeinfo) +
					    nid * sizeof(void *));
		pgdat = per_node ? BPF_CORE_READ(per_node, lruvec.pgdat) : NULL;
	}
	return pgdat;
}

/*
 * Finds the addresses of the nodes' pglist_data.vm_stat, for which there is no symbol. A memory
 * cgroup leads only to nodes that it has used: lruvec.pgdat is empty for others. The fallback list
 * of zones of such a node has the zones of all nodes with memory. Node numbers in use are below
 * `node_ids`. Stores the number of nodes found, and 0 after the last address.
 *
 * `found` must not be on the stack: the verifier would follow each number through each turn of the
 * loop.
 */
static __always_inline void find_node_stats(struct task_struct *task, __u32 node_ids,
					    __u64 *vm_stat, __u32 *found)
{
	struct cgroup_subsys_state *css = task_css(task, memory_subsys());
	struct mem_cgroup *memcg = (void *)css - bpf_core_field_offset(struct mem_cgroup, css);
	struct pglist_data *pgdat = css ? node_of_memcg(memcg, node_ids) : NULL;
	struct node_search search = {.vm_stat = vm_stat, .found = found};
	__u32 last;

	*found = 0;
	if (!pgdat)
		return;
	search.zoneref = (__u64)pgdat + bpf_core_field_offset(struct pglist_data, node_zonelists) +
			 bpf_core_field_offset(struct zonelist, _zonerefs);
	EVICTD_REPEAT(EVICTD_WALKED_NODES * EVICTD_MAX_ZONES,
		      EVICTD_WALKED_NODES * EVICTD_MAX_ZONES, add_node_of_zone, &search);
	last = *found;
	if (last < EVICTD_MAX_NODES)
		vm_stat[last] = 0;
}

/* Address of the initial namespace's number of pids, or 0: every pid has a number there, at index
 * 0. */
static __always_inline __u64 find_pid_allocated(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	struct upid *first = (void *)pid + bpf_core_field_offset(struct pid, numbers);
	struct pid_namespace *ns = BPF_CORE_READ(first, ns);

	return ns ? (__u64)ns + bpf_core_field_offset(struct pid_namespace, pid_allocated) : 0;
}

#endif
