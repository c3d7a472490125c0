// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Measures the kernel's time in the softirq of its high-resolution timers, in which every bpf_timer
 * runs. It includes the time that a program's own run-time statistics do not count.
 */
#include "vmlinux.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} entered SEC(".maps");

/* ns spent and times entered, per CPU. */
struct softirq_time {
	__u64 ns;
	__u64 count;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct softirq_time);
} spent SEC(".maps");

SEC("tp_btf/softirq_entry")
int BPF_PROG(timer_softirq_entry, unsigned int vector)
{
	__u32 key = 0;
	__u64 *start = bpf_map_lookup_elem(&entered, &key);

	if (start && vector == HRTIMER_SOFTIRQ)
		*start = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(timer_softirq_exit, unsigned int vector)
{
	__u32 key = 0;
	__u64 *start = bpf_map_lookup_elem(&entered, &key);
	struct softirq_time *sum = bpf_map_lookup_elem(&spent, &key);

	if (!start || !sum || vector != HRTIMER_SOFTIRQ || !*start)
		return 0;
	sum->ns += bpf_ktime_get_ns() - *start;
	sum->count++;
	*start = 0;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
