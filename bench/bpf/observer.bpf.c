// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The benches' own witness of a crossing. It checks at every page that is charged to a memory
 * cgroup, and stamps the first moment at which the watched counter is past a level. It also stamps
 * SIGKILL to the victim. It shares no map, no program and no code with evictd, and it does not
 * filter. It is attached in every row of a bench, so that its cost is the same in each.
 *
 * Hooks: tp_btf count_memcg_events and mod_memcg_lruvec_state. Together they run several times a
 * page, the first one right after the page's charge. Where they are missing (kernel 6.1), fentry
 * on page_counter_try_charge, which runs once a batch of 64.
 */
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "observation.h"
#include "sent_by_kernel.h"

/* Levels between a container's cgroup and the watched one; the benches use three. */
#define MAX_DEPTH  16
#define PAGE_BYTES 4096
#define SIGKILL	   9

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct evictd_bench_observation);
} observation SEC(".maps");

static __always_inline struct evictd_bench_observation *current_observation(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&observation, &key);
}

static __always_inline __s64 read_long(__u64 address)
{
	__s64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), (const void *)address);
	return value;
}

/* File and anonymous pages minus inactive file pages of all NUMA nodes: the node's working set. */
static __always_inline __s64 node_working_set(const struct evictd_bench_observation *seen)
{
	const __u64 file = bpf_core_enum_value(enum node_stat_item, NR_FILE_PAGES);
	const __u64 anon = bpf_core_enum_value(enum node_stat_item, NR_ANON_MAPPED);
	const __u64 inactive = bpf_core_enum_value(enum node_stat_item, NR_INACTIVE_FILE);
	const __u64 offset = bpf_core_field_offset(struct pglist_data, vm_stat);
	__s64 pages = 0;

	for (__u32 node = 0; node < EVICTD_BENCH_NODES; node++) {
		__u64 base = seen->pgdat_address[node];

		if (!base)
			continue;
		base += offset;
		pages += read_long(base + file * 8) + read_long(base + anon * 8) -
			 read_long(base + inactive * 8);
	}
	return pages * PAGE_BYTES;
}

static __always_inline __s64 current_value(const struct evictd_bench_observation *seen)
{
	if (!seen->memcg_id)
		return node_working_set(seen);
	if (!seen->counter_address)
		return 0;
	return read_long(seen->counter_address) * PAGE_BYTES;
}

static __always_inline void look(struct evictd_bench_observation *seen, __s64 pending_bytes)
{
	const __s64 value = current_value(seen) + pending_bytes;

	seen->pages_seen++;
	if (value > seen->furthest_bytes)
		seen->furthest_bytes = value;
	if (value <= seen->level_bytes || seen->crossed_ns)
		return;
	seen->crossed_bytes = value;
	seen->crossed_ns = bpf_ktime_get_ns();
}

/* True if `memcg` is the watched cgroup or a descendant; finds the watched counter on the way. */
static __always_inline bool is_watched(struct evictd_bench_observation *seen,
				       struct mem_cgroup *memcg)
{
	struct cgroup_subsys_state *css = &memcg->css;
	struct page_counter *counter = &memcg->memory;

	if (seen->memcg_address == (__u64)memcg)
		return true;
	for (int depth = 0; depth < MAX_DEPTH; depth++) {
		if (!css || !counter)
			return false;
		if (css->cgroup->kn->id == seen->memcg_id) {
			seen->counter_address = (__u64)&counter->usage;
			seen->memcg_address = (__u64)memcg;
			return true;
		}
		css = css->parent;
		counter = counter->parent;
	}
	return false;
}

/*
 * Any memcg leads to the NUMA nodes, without a symbol. The charge hook may pass a counter that
 * belongs to no memcg; a per-node struct that points back proves that this one does.
 */
static __always_inline void find_nodes(struct evictd_bench_observation *seen,
				       struct mem_cgroup *memcg)
{
	for (__u32 node = 0; node < EVICTD_BENCH_NODES; node++) {
		struct mem_cgroup_per_node *per_node;

		if (node >= seen->node_count || seen->pgdat_address[node])
			continue;
		if (bpf_core_read(&per_node, sizeof(per_node), &memcg->nodeinfo[node]) ||
		    BPF_CORE_READ(per_node, memcg) != memcg)
			continue;
		seen->pgdat_address[node] = (__u64)BPF_CORE_READ(per_node, lruvec.pgdat);
	}
}

static __always_inline int see_page(struct mem_cgroup *memcg)
{
	struct evictd_bench_observation *seen = current_observation();

	if (!seen || !seen->armed)
		return 0;
	if (seen->memcg_id) {
		if (!is_watched(seen, memcg))
			return 0;
	} else if (!seen->pgdat_address[0]) {
		find_nodes(seen, memcg);
	}
	look(seen, 0);
	return 0;
}

/* A page is mapped or put on a list; of a huge page, after it was cleared. */
SEC("tp_btf/mod_memcg_lruvec_state")
int BPF_PROG(observe_page, struct mem_cgroup *memcg)
{
	return see_page(memcg);
}

/* A page was charged just now (PGPGIN, cgroup v1); of a huge page, before it is cleared. */
SEC("tp_btf/count_memcg_events")
int BPF_PROG(observe_page_in, struct mem_cgroup *memcg)
{
	return see_page(memcg);
}

SEC("fentry/page_counter_try_charge")
int BPF_PROG(observe_charge, struct page_counter *counter, unsigned long nr_pages)
{
	struct evictd_bench_observation *seen = current_observation();
	const __u64 offset = bpf_core_field_offset(struct mem_cgroup, memory);

	if (!seen || !seen->armed)
		return 0;
	if (!seen->memcg_id) {
		if (!seen->pgdat_address[0])
			find_nodes(seen, (struct mem_cgroup *)((__u64)counter - offset));
		look(seen, 0);
		return 0;
	}
	for (int depth = 0; depth < MAX_DEPTH && counter; depth++) {
		struct mem_cgroup *memcg = (struct mem_cgroup *)((__u64)counter - offset);
		__u64 address = (__u64)__builtin_preserve_access_index(&counter->usage);

		/* Swap and kernel-memory counters come here too; their "memcg" never has the
		 * watched id. */
		if (seen->counter_address == address ||
		    BPF_CORE_READ(memcg, css.cgroup, kn, id) == seen->memcg_id) {
			seen->counter_address = address;
			look(seen, (__s64)nr_pages * PAGE_BYTES);
			return 0;
		}
		counter = BPF_CORE_READ(counter, parent);
	}
	return 0;
}

SEC("tp_btf/signal_generate")
int BPF_PROG(observe_signal, int sig, struct kernel_siginfo *info, struct task_struct *task)
{
	struct evictd_bench_observation *seen = current_observation();

	if (sig != SIGKILL || !seen || !seen->armed || seen->sigkill_ns)
		return 0;
	if ((__u32)task->tgid != seen->victim_tgid)
		return 0;
	seen->sigkill_ns = bpf_ktime_get_ns();
	seen->sigkill_bytes = current_value(seen);
	seen->by_kernel = is_sent_by_kernel(info);
	if (!seen->by_kernel)
		seen->sender = bpf_get_current_pid_tgid();
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(observe_return)
{
	struct evictd_bench_observation *seen = current_observation();

	if (!seen || !seen->sender || seen->sigkill_returned_ns)
		return 0;
	if (bpf_get_current_pid_tgid() == seen->sender)
		seen->sigkill_returned_ns = bpf_ktime_get_ns();
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
