// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * cgroup: reports when pods appear, get their first task, become empty and disappear, without a
 * scan. A task that joins others is not reported: it changes nothing about its pod.
 *
 * The tracepoints run under cgroup_mutex (populated: css_set_lock), in every hierarchy of the
 * machine. Cgroups that are not at or below a watched root are filtered here. mkdir comes after the
 * controllers' states were created. rmdir comes after they were killed, an RCU grace period before
 * they can be freed: dropping the addresses there is in time for every program that uses them.
 *
 * The kernel builds the path argument for the tracepoint: reading it costs only a copy.
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

	if (depth > place->level)
		return 1;
	key.id = ancestor_id((void *)place->cgroup, place->level - depth);
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
	EVICTD_REPEAT(EVICTD_MAX_LEVELS, EVICTD_MAX_LEVELS, try_ancestor, &place);
	return place;
}

static __always_inline __u64 parent_id(struct cgroup *cgroup)
{
	__u32 level = BPF_CORE_READ(cgroup, level);

	return level ? ancestor_id(cgroup, level - 1) : 0;
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
	event = EVICTD_RESERVE(struct evictd_cgroup_event, EVICTD_EVENT_CGROUP);
	if (!event)
		return 0;
	/* Field by field: the whole record, with its path, does not fit on the stack. */
	event->header =
	    EVICTD_HEADER(struct evictd_cgroup_event, EVICTD_EVENT_CGROUP, bpf_ktime_get_ns());
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

static __always_inline struct evictd_resolved counters_of(struct cgroup *cgroup)
{
	struct cgroup_subsys_state *memory = cgroup_css(cgroup, memory_subsys());
	struct cgroup_subsys_state *pids = cgroup_css(cgroup, pids_subsys());
	struct evictd_resolved found = {};

	found.cgroup = cgroup_key(cgroup);
	found.memory_counter = memory_counter_of(memory);
	found.inactive_file = inactive_file_of(memory);
	found.pids_counter = pids_counter_of(pids);
	found.memory_serial = BPF_CORE_READ(memory, serial_nr);
	found.pids_serial = BPF_CORE_READ(pids, serial_nr);
	found.level = BPF_CORE_READ(cgroup, level);
	return found;
}

/* Addresses of a cgroup's counters; user space runs it on an open directory, any hierarchy. */
#ifdef EVICTD_BOUNDED
#define CGROUP_MAGIC  0x27e0eb
#define CGROUP2_MAGIC 0x63677270

/* The cgroup whose directory is the descriptor `fd` of the current process, or NULL. */
static __always_inline struct cgroup *cgroup_at(__u64 fd)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file *file;
	struct kernfs_node *node;
	struct cgroup *cgroup;
	unsigned long magic;

	if (fd >= BPF_CORE_READ(table, max_fds))
		return NULL;
	file = (void *)read_u64((__u64)BPF_CORE_READ(table, fd) + fd * sizeof(void *));
	magic = BPF_CORE_READ(file, f_inode, i_sb, s_magic);
	if (magic != CGROUP_MAGIC && magic != CGROUP2_MAGIC)
		return NULL;
	node = BPF_CORE_READ(file, f_inode, i_private);
	cgroup = BPF_CORE_READ(node, priv);
	return BPF_CORE_READ(cgroup, self.flags) & CSS_ONLINE ? cgroup : NULL;
}

/* The answer is in `resolved`; its id is 0 if `fd` is not a cgroup. */
EVICTD_RUN_BY_USER_SPACE
int cgroup_resolve(struct bpf_raw_tracepoint_args *ctx)
{
	struct evictd_resolved none = {};
	struct cgroup *cgroup = cgroup_at(ctx->args[0]);

	resolved = cgroup ? counters_of(cgroup) : none;
	return 0;
}
#else
SEC("iter/cgroup")
int cgroup_resolve(struct bpf_iter__cgroup *ctx)
{
	struct cgroup *cgroup = ctx->cgroup;
	struct evictd_resolved found;

	if (!cgroup)
		return 0;
	found = counters_of(cgroup);
	bpf_seq_write(ctx->meta->seq, &found, sizeof(found));
	return 0;
}
#endif
