// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * notify_pressure: reclaim has trouble. An object of its own, for cgroup v2 only, which has no file
 * that tells of it: v1's memory.pressure_level is gone, but the kernel goes on counting for it.
 *
 * vmpressure_work_fn: the kernel's own end of a window (512 pages scanned for a cgroup, or a look
 * so deep that it is critical), where it would tell the listeners of memory.pressure_level. Runs in
 * a worker thread, a few hundred times a second at most while memory is scanned as fast as it can
 * be, never otherwise. The two sums are read before the kernel takes them, under no lock: pages
 * that another CPU adds just then are in the kernel's ratio and not in ours, or the other way
 * round.
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

/* Lies on a stack only: this puts its type into the object's BTF for tests/bpf/layout_test.cpp. */
struct evictd_pressure_record *pressure_record_type = NULL;

/* Written by user space: how many cgroups have listeners; 0: the hook does nothing. */
__u32 pressure_listened = 0;

/* A walk from the cgroup that was scanned to the root. */
/*
 * Always 0, which the verifier must not know. That of 6.1 checks the callback of bpf_loop() with
 * what the caller's stack holds at its first run alone (mended by Linux's "bpf: verify callbacks as
 * if they are called unknown number of times"): a count that begins as a known 0 would be one for
 * good, the branch for a full record dead code, and the 33rd cgroup be written beyond the record.
 */
volatile __u32 pressure_nought;

struct ascent {
	struct cgroup_subsys_state *css;
	__u32 wanted; /* somebody so far listens to this level */
	__u32 pad;
	struct evictd_pressure_record record;
};

static __always_inline void tell(const struct evictd_pressure_record *record)
{
	if (bpf_ringbuf_output(&pressure_records, (void *)record, sizeof(*record), 0))
		__sync_fetch_and_add(&pressure_stats.dropped, 1);
}

/* The record is full: what is further up goes into another one. A part that nobody wants is not
 * missed, but once one is told, all that follow are. */
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
		/* Not left out by a compiler that knows from above that it is smaller. */
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
