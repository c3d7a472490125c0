// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * notify_pressure: reclaim makes little progress. A separate object, only for cgroup v2, which has
 * no file for it: v1's memory.pressure_level is gone, but the kernel still counts for it.
 *
 * vmpressure_work_fn: the kernel's end of a window (512 pages scanned for a cgroup, or a scan so
 * deep that it is critical), where it would notify the listeners of memory.pressure_level. Runs in
 * a worker thread: at most a few hundred times a second during the fastest scan, never without
 * scanning. The program reads the two sums before the kernel takes them, without a lock. Pages that
 * another CPU adds meanwhile may be in the kernel's ratio but not in this one, or vice versa.
 *
 * Rows, best first (userspace/notify/pressure_program.cpp): fentry, kprobe.
 */
#include "lib/compat.bpf.h"
#include "evictd/abi/notify_pressure.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} pressure_records SEC(".maps");

/* Cgroups with listeners. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* set by user space before loading */
	__type(key, struct evictd_cgroup_key);
	__type(value, struct evictd_pressure_cgroup);
} pressure_cgroups SEC(".maps");

struct evictd_pressure_stats pressure_stats = {};

/* Otherwise only on a stack: puts its type into the object's BTF for tests/bpf/layout_test.cpp. */
struct evictd_pressure_record *pressure_record_type = NULL;

/* Number of cgroups with listeners, written by user space; 0: the hook does nothing. */
__u32 pressure_listened = 0;

/* A walk from the scanned cgroup to the root. */
/*
 * Always 0, which the verifier must not know. The verifier of 6.1 checks the callback of bpf_loop()
 * only with the caller's stack of its first run (fixed by Linux's "bpf: verify callbacks as if they
 * are called unknown number of times"). It would treat a count that begins as a known 0 as
 * constant, and the branch for a full record as dead code: the 33rd cgroup would be written beyond
 * the record.
 */
volatile __u32 pressure_nought;

struct ascent {
	struct cgroup_subsys_state *css;
	__u32 wanted; /* a cgroup so far has a listener of this level */
	__u32 pad;
	struct evictd_pressure_record record;
};

static __always_inline void tell(const struct evictd_pressure_record *record)
{
	if (bpf_ringbuf_output(&pressure_records, (void *)record, sizeof(*record), 0))
		__sync_fetch_and_add(&pressure_stats.dropped, 1);
}

/* The record is full: cgroups further up go into another one. A part without listeners is not sent,
 * but once one part is sent, all following ones are. */
static __always_inline void begin_next_part(struct ascent *ascent)
{
	struct evictd_pressure_record *record = &ascent->record;

	if (ascent->wanted) {
		record->goes_on = 1;
		tell(record);
		record->goes_on = 0;
	}
	record->at_source = 0;
	record->count = 0;
}

static long look_for_listeners(__u32 level, struct ascent *ascent)
{
	struct cgroup_subsys_state *css = ascent->css;
	struct evictd_pressure_record *record = &ascent->record;
	struct evictd_pressure_cgroup *known;
	struct evictd_cgroup_key key;
	__u32 at;

	if (!css)
		return 1;
	key = cgroup_key(BPF_CORE_READ(css, cgroup));
	known = bpf_map_lookup_elem(&pressure_cgroups, &key);
	if (known) {
		if (record->count >= EVICTD_PRESSURE_CHAIN)
			begin_next_part(ascent);
		at = record->count;
		/* Written so that the compiler keeps it, though it knows the bound from above. */
		barrier_var(at);
		record->cgroups[at & (EVICTD_PRESSURE_CHAIN - 1)] = key.id;
		record->count = at + 1;
		record->hierarchy = key.hierarchy;
		if (!level)
			record->at_source = 1;
		if (known->lowest <= record->level)
			ascent->wanted = 1;
	}
	ascent->css = BPF_CORE_READ(css, parent);
	return 0;
}

static __always_inline void end_window(__u64 work)
{
	struct vmpressure *pressure =
	    (void *)(work - bpf_core_field_offset(struct vmpressure, work));
	__u64 memcg = (__u64)pressure - bpf_core_field_offset(struct mem_cgroup, vmpressure);
	struct ascent ascent = {};
	__u64 scanned;

	if (!pressure_listened)
		return;
	ascent.wanted = pressure_nought;
	ascent.record.count = pressure_nought;
	ascent.record.window = __sync_fetch_and_add(&pressure_stats.windows, 1);
	/* 0: an earlier run of the worker has taken it. */
	scanned = BPF_CORE_READ(pressure, tree_scanned);
	if (!scanned)
		return;
	ascent.record.level =
	    evictd_notify_level_of(scanned, BPF_CORE_READ(pressure, tree_reclaimed));
	ascent.record.ktime_ns = bpf_ktime_get_ns();
	ascent.css = (void *)(memcg + bpf_core_field_offset(struct mem_cgroup, css));
	bpf_loop(EVICTD_MAX_LEVELS, look_for_listeners, &ascent, 0);
	if (ascent.wanted)
		tell(&ascent.record);
}

SEC("fentry/vmpressure_work_fn")
int BPF_PROG(pressure_window_fentry, struct work_struct *work)
{
	end_window((__u64)work);
	return 0;
}

SEC("kprobe/vmpressure_work_fn")
int BPF_KPROBE(pressure_window_kprobe, struct work_struct *work)
{
	end_window((__u64)work);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
