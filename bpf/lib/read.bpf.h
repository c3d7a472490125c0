/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 3: the values that thresholds are about, read from the kernel's own counters by address. */
#ifndef EVICTD_BPF_READ_H
#define EVICTD_BPF_READ_H

#include "compat.bpf.h"

/*
 * Sums the nodes' statistics. Each CPU holds back up to 125 pages of each item until it folds them
 * in: the error bound is 2 x 125 pages x CPUs, which the files show too.
 */
static __always_inline void read_node(__u64 now)
{
	__u64 file_pages = bpf_core_enum_value(enum node_stat_item, NR_FILE_PAGES);
	__u64 anon_mapped = bpf_core_enum_value(enum node_stat_item, NR_ANON_MAPPED);
	__u64 inactive = bpf_core_enum_value(enum node_stat_item, NR_INACTIVE_FILE);
	__u64 used_pages = 0, inactive_pages = 0;

	for (__u32 i = 0; i < EVICTD_MAX_NODES; i++) {
		__u64 base = node_vm_stat[i];

		if (!base)
			break;
		used_pages += read_u64(base + file_pages * sizeof(long));
		used_pages += read_u64(base + anon_mapped * sizeof(long));
		inactive_pages += read_u64(base + inactive * sizeof(long));
	}
	node.usage_bytes = used_pages << cfg_page_shift;
	node.inactive_file_bytes = inactive_pages << cfg_page_shift;
	/* The top bit says that the namespace still takes pids (PIDNS_ADDING). */
	node.tasks = read_u64(pid_allocated_address) & 0x7fffffff;
	node.ktime_ns = now;
}

static __always_inline __u64 minus_floored(__u64 a, __u64 b)
{
	return a > b ? a - b : 0;
}

/* Inactive pages may read as negative for a moment while per-CPU parts are being folded in. */
static __always_inline __u64 inactive_bytes(__u64 address)
{
	__s64 pages = (__s64)read_u64(address);

	return pages > 0 ? (__u64)pages << cfg_page_shift : 0;
}

/* Value of the watched signal now. False: its cgroup is gone, and the watch has been emptied. */
static __always_inline bool read_watch(struct evictd_watch *watch, __u64 now, __u64 *value)
{
	__u64 counter = watch->counter;
	__u64 owner;

	if (watch->signal == EVICTD_SIGNAL_NODE_WORKING_SET) {
		read_node(now);
		*value = minus_floored(node.usage_bytes, node.inactive_file_bytes);
		return node.nodes != 0;
	}
	if (watch->signal == EVICTD_SIGNAL_NODE_TASKS) {
		*value = read_u64(pid_allocated_address) & 0x7fffffff;
		return pid_allocated_address != 0;
	}
	if (!counter)
		return false;
	*value = read_u64(counter);
	if (watch->signal != EVICTD_SIGNAL_CGROUP_TASKS)
		*value <<= cfg_page_shift;
	if (watch->signal == EVICTD_SIGNAL_CGROUP_WORKING_SET)
		*value = minus_floored(*value, inactive_bytes(watch->inactive_file));
	owner = watch->signal == EVICTD_SIGNAL_CGROUP_TASKS ? owner_of_pids_counter(counter)
							    : owner_of_memory_counter(counter);
	if (owner != watch->cgroup.id) {
		watch->counter = 0;
		__sync_fetch_and_add(&stats.stale_rows, 1);
		return false;
	}
	return true;
}

#endif
