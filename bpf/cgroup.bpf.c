// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * cgroup: pods appear, get their first task, empty and disappear, without anyone scanning for them.
 * A task that joins others is not told of: it changes nothing about its pod.
 *
 * The tracepoints run under cgroup_mutex (populated: css_set_lock), in every hierarchy of the
 * machine; all but those at or below a watched root are filtered here. mkdir comes after the
 * controllers' states were created, rmdir after they were killed but before they can be freed,
 * which is an RCU grace period away: forgetting the addresses there is in time for every program
 * that still uses them.
 *
 * The path argument was made by the kernel for the tracepoint: reading it costs a copy only.
 */
#include "lib/compat.bpf.h"
#include "lib/emit.bpf.h"

struct place {
	__u64 cgroup;
	__u64 root_id;
	__u32 level;
	__u32 hierarchy;
	__u32 depth;
	__u32 found;
};

static long try_ancestor(__u32 depth, struct place *place)
{
	struct evictd_cgroup_key key = {.hierarchy = place->hierarchy};
	struct cgroup *ancestor;

	if (depth > place->level)
		return 1;
	ancestor = cgroup_ancestor((void *)place->cgroup, place->level - depth);
	key.id = BPF_CORE_READ(ancestor, kn, id);
	if (!bpf_map_lookup_elem(&roots, &key))
		return 0;
	place->root_id = key.id;
	place->depth = depth;
	place->found = 1;
	return 1;
}

/* The nearest watched root at or above `cgroup`. */
static __always_inline struct place find_root(struct cgroup *cgroup, __u32 hierarchy)
{
	struct place place = {.cgroup = (__u64)cgroup, .hierarchy = hierarchy};

	place.level = BPF_CORE_READ(cgroup, level);
	bpf_loop(EVICTD_MAX_LEVELS, try_ancestor, &place, 0);
	return place;
}

static __always_inline __u64 parent_id(struct cgroup *cgroup)
{
	__u32 level = BPF_CORE_READ(cgroup, level);

	return level ? BPF_CORE_READ(cgroup_ancestor(cgroup, level - 1), kn, id) : 0;
}

static __always_inline int report(struct cgroup *cgroup, const char *path, __u32 change)
{
	struct evictd_cgroup_key key;
	struct evictd_cgroup_event *event;
	struct place place;
	long size;

	key.hierarchy = BPF_CORE_READ(cgroup, root, hierarchy_id);
	if (!(root_hierarchies & (1ULL << (key.hierarchy & 63))))
		return 0;
	place = find_root(cgroup, key.hierarchy);
	if (!place.found)
		return 0;
	event = EVICTD_RESERVE(struct evictd_cgroup_event, EVICTD_EVENT_CGROUP, bpf_ktime_get_ns());
	if (!event)
		return 0;
	event->cgroup = cgroup_key(cgroup);
	event->parent_id = parent_id(cgroup);
	event->root_id = place.root_id;
	event->change = change;
	event->depth = place.depth;
	event->pad = 0;
	size = bpf_probe_read_kernel_str(event->path, sizeof(event->path), path);
	event->path_size = size > 0 ? size : 0;
	bpf_ringbuf_submit(event, 0);
	return 0;
}

static __always_inline void forget_watch(__u32 one_based)
{
	__u32 index = one_based - 1;
	struct evictd_watch *watch;

	if (!one_based)
		return;
	watch = bpf_map_lookup_elem(&watches, &index);
	if (watch)
		watch->counter = 0;
}

static __always_inline void forget_counter(__u64 address)
{
	struct evictd_counter *counter = bpf_map_lookup_elem(&counters, &address);
	struct evictd_target *target;
	__u32 slot;

	if (!address || !counter)
		return;
	forget_watch(counter->working_set_watch);
	forget_watch(counter->usage_watch);
	forget_watch(counter->tasks_watch);
	slot = counter->slot - 1;
	target = counter->slot ? bpf_map_lookup_elem(&targets, &slot) : NULL;
	if (target && target->memory_counter == address)
		target->memory_counter = 0;
	if (target && target->pids_counter == address)
		target->pids_counter = 0;
	bpf_map_delete_elem(&counters, &address);
}

static __always_inline void forget(struct cgroup *cgroup)
{
	struct evictd_cgroup_key key = cgroup_key(cgroup);
	struct evictd_cgroup *known = bpf_map_lookup_elem(&cgroups, &key);

	if (!known)
		return;
	forget_counter(known->memory_counter);
	forget_counter(known->pids_counter);
	bpf_map_delete_elem(&cgroups, &key);
}

static __always_inline int handle_rmdir(struct cgroup *cgroup, const char *path)
{
	forget(cgroup);
	return report(cgroup, path, EVICTD_CGROUP_REMOVED);
}

static __always_inline int handle_populated(struct cgroup *cgroup, const char *path, int populated)
{
	return report(cgroup, path, populated ? EVICTD_CGROUP_POPULATED : EVICTD_CGROUP_EMPTIED);
}

SEC("tp_btf/cgroup_mkdir")
int BPF_PROG(cgroup_mkdir_tp, struct cgroup *cgroup, const char *path)
{
	return report(cgroup, path, EVICTD_CGROUP_CREATED);
}

SEC("tp_btf/cgroup_rmdir")
int BPF_PROG(cgroup_rmdir_tp, struct cgroup *cgroup, const char *path)
{
	return handle_rmdir(cgroup, path);
}

SEC("tp_btf/cgroup_notify_populated")
int BPF_PROG(cgroup_populated_tp, struct cgroup *cgroup, const char *path, int populated)
{
	return handle_populated(cgroup, path, populated);
}

SEC("raw_tp/cgroup_mkdir")
int BPF_PROG(cgroup_mkdir_raw, struct cgroup *cgroup, const char *path)
{
	return report(cgroup, path, EVICTD_CGROUP_CREATED);
}

SEC("raw_tp/cgroup_rmdir")
int BPF_PROG(cgroup_rmdir_raw, struct cgroup *cgroup, const char *path)
{
	return handle_rmdir(cgroup, path);
}

SEC("raw_tp/cgroup_notify_populated")
int BPF_PROG(cgroup_populated_raw, struct cgroup *cgroup, const char *path, int populated)
{
	return handle_populated(cgroup, path, populated);
}

/* Where the counters of one cgroup are; run by user space on an open directory, any hierarchy. */
SEC("iter/cgroup")
int cgroup_resolve(struct bpf_iter__cgroup *ctx)
{
	struct cgroup *cgroup = ctx->cgroup;
	struct cgroup_subsys_state *memory;
	struct evictd_resolved resolved = {};

	if (!cgroup)
		return 0;
	memory = cgroup_css(cgroup, memory_subsys());
	resolved.cgroup = cgroup_key(cgroup);
	resolved.memory_counter = memory_counter_of(memory);
	resolved.inactive_file = inactive_file_of(memory);
	resolved.pids_counter = pids_counter_of(cgroup_css(cgroup, pids_subsys()));
	resolved.level = BPF_CORE_READ(cgroup, level);
	bpf_seq_write(ctx->meta->seq, &resolved, sizeof(resolved));
	return 0;
}
