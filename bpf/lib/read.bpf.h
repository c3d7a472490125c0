/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 4: the values of thresholds, read from the kernel's counters by address. */
#ifndef EVICTD_BPF_READ_H
#define EVICTD_BPF_READ_H

#include "maps.bpf.h"
#include "node.bpf.h"
#include "owner.bpf.h"
#include "reserve.bpf.h"

static __always_inline void read_node(__u64 now)
{
	struct node_pages sum = sum_nodes(node_vm_stat);

	node.usage_bytes = sum.used << cfg_page_shift;
	node.inactive_file_bytes = sum.inactive << cfg_page_shift;
	node.tasks = pids_at(pid_allocated_address);
	node.ktime_ns = now;
}

/* Reads the memory at hand, and computes the reserve from it. */
static __always_inline void read_at_hand(__u64 now)
{
	struct at_hand pages = sum_at_hand(node_vm_stat);

	node.at_hand_bytes = (pages.free + pages.file + pages.slab) << cfg_page_shift;
	update_reserve(&pages, now);
}

static __always_inline __u64 inactive_bytes(__u64 address)
{
	return inactive_pages(address) << cfg_page_shift;
}

/*
 * Whether `css` still belongs to the cgroup `id`; counts it if not. Call it after the counter was
 * read. A dying css keeps its cgroup's id, even if the cgroup stays: a controller that is removed
 * and added again has another css, and the old one is no longer valid.
 */
static __always_inline bool is_still_of(const struct cgroup_subsys_state *css, __u64 id)
{
	if (owner_of_css(css) != id) {
		__sync_fetch_and_add(&stats.stale_rows, 1);
		return false;
	}
	if (css_is_dying(css)) {
		__sync_fetch_and_add(&stats.dying_rows, 1);
		return false;
	}
	return true;
}

/* Reads the watched signal. False: its counter is gone, and the watch is now empty. */
static __always_inline bool read_watch(struct evictd_watch *watch, __u64 now, __u64 *value)
{
	__u64 counter = watch->counter;
	bool of_tasks = watch->signal == EVICTD_SIGNAL_CGROUP_TASKS;

	if (watch->signal == EVICTD_SIGNAL_NODE_WORKING_SET) {
		read_node(now);
		*value = minus_floored(node.usage_bytes, node.inactive_file_bytes);
		return node.nodes != 0;
	}
	if (watch->signal == EVICTD_SIGNAL_NODE_TAKEN ||
	    watch->signal == EVICTD_SIGNAL_NODE_RESERVE) {
		read_at_hand(now);
		if (watch->signal == EVICTD_SIGNAL_NODE_RESERVE) {
			*value = EVICTD_NODE_CEILING - node.reserve_bytes + reserve_needed();
			return reserve_is_known();
		}
		*value = EVICTD_NODE_CEILING - node.at_hand_bytes;
		return node.zones != 0;
	}
	if (watch->signal == EVICTD_SIGNAL_NODE_TASKS) {
		*value = pids_at(pid_allocated_address);
		return pid_allocated_address != 0;
	}
	if (!counter)
		return false;
	*value = read_u64(counter);
	if (!of_tasks)
		*value <<= cfg_page_shift;
	if (watch->signal == EVICTD_SIGNAL_CGROUP_WORKING_SET)
		*value = minus_floored(*value, inactive_bytes(watch->inactive_file));
	if (!is_still_of(of_tasks ? css_of_pids_counter(counter) : css_of_memory_counter(counter),
			 watch->cgroup.id)) {
		watch->counter = 0;
		return false;
	}
	return true;
}

#endif
