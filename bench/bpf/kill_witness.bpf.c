// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A witness of kills, who asks nobody: which pods were sent SIGTERM or SIGKILL, by any way of
 * sending it. What one process sends by system call is left out, so that a test may end its own
 * pods. It shares no map, no program and no code with evictd.
 *
 * Hook: tp_btf signal_generate, which runs for each signal to a process, also for those of
 * cgroup.kill, of BPF programs and of the OOM killer. It misses only a signal to a process that
 * is reaped already.
 */
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "kill_seen.h"
#include "sent_by_kernel.h"

#define SIGKILL 9
#define SIGTERM 15
/* A siginfo up to here is no address: the kernel or cgroup.kill sent the signal, no system call. */
#define NOT_BY_CALL 1

/* Processes elsewhere on the machine take entries, too. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u64);
	__type(value, struct evictd_bench_kill_seen);
} kills SEC(".maps");

/* The process whose calls are left out; set before the program is loaded. */
const volatile __u32 own_tgid = 0;

/* Signals that found no room in `kills`. */
__u64 missed = 0;

/* The kernfs id of the cgroup above that of the task in the memory hierarchy: of the pod of a
 * process in a container. 0 if there is none. */
static __always_inline __u64 pod_of(struct task_struct *task)
{
	const __u64 index = bpf_core_enum_value(enum cgroup_subsys_id, memory_cgrp_id);
	const __u64 offset = bpf_core_field_offset(struct css_set, subsys);
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state *css = NULL;

	bpf_probe_read_kernel(&css, sizeof(css),
			      (const void *)((__u64)set + offset + index * sizeof(css)));
	return BPF_CORE_READ(css, parent, cgroup, kn, id);
}

static __always_inline struct evictd_bench_kill_seen *entry_of(__u64 pod, int sig)
{
	struct evictd_bench_kill_seen first = {};
	struct evictd_bench_kill_seen *seen = bpf_map_lookup_elem(&kills, &pod);

	if (seen)
		return seen;
	first.signal = sig;
	first.sender = bpf_get_current_pid_tgid() >> 32;
	bpf_get_current_comm(first.comm, sizeof(first.comm));
	/* Another CPU may have been first. */
	bpf_map_update_elem(&kills, &pod, &first, BPF_NOEXIST);
	return bpf_map_lookup_elem(&kills, &pod);
}

SEC("tp_btf/signal_generate")
int BPF_PROG(witness_signal, int sig, struct kernel_siginfo *info, struct task_struct *task)
{
	const __u32 sender = bpf_get_current_pid_tgid() >> 32;
	struct evictd_bench_kill_seen *seen;
	__u64 pod;

	if (sig != SIGKILL && sig != SIGTERM)
		return 0;
	/* A BPF program may send while that process happens to run. */
	if (sender == own_tgid && !is_sent_by_kernel(info) && (__u64)info > NOT_BY_CALL)
		return 0;
	pod = pod_of(task);
	if (!pod)
		return 0;
	seen = entry_of(pod, sig);
	if (seen)
		__sync_fetch_and_add(&seen->count, 1);
	else
		__sync_fetch_and_add(&missed, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
