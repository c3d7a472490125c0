/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 6: one check of one row: read, move its position, return the time to the next check. */
#ifndef EVICTD_BPF_NOTIFY_LOOK_H
#define EVICTD_BPF_NOTIFY_LOOK_H

#include "notify_way.bpf.h"

#define MAX_MOVES 8 /* per check */

/* Reserves an uninitialised record, or NULL; it must go to bpf_ringbuf_submit. */
static __always_inline struct evictd_notify_record *reserve_record(void)
{
	struct evictd_notify_record *record =
	    bpf_ringbuf_reserve(&notify_records, sizeof(*record), 0);

	__sync_fetch_and_add(&notify_stats.records, 1);
	if (!record)
		__sync_fetch_and_add(&notify_stats.dropped, 1);
	return record;
}

/* Reports that these `signals` of the cgroup have ended. */
static __always_inline void report_removal(const struct evictd_cgroup_key *cgroup, __u32 signals,
					   __u64 now)
{
	struct evictd_notify_record *record = reserve_record();

	if (!record)
		return;
	*record = (struct evictd_notify_record){
	    .kind = EVICTD_NOTIFY_REMOVED, .ktime_ns = now, .value = signals, .cgroup = *cgroup};
	bpf_ringbuf_submit(record, 0);
}

/* No tracepoint has reported it, and none will if a controller was removed: so no listener is left
 * waiting. Signals of other controllers live on. If the cgroup itself is gone, the tracepoint
 * reports it, or a check of one of their rows.
 */
static __always_inline void retire(struct evictd_notify_row *row, __u64 now)
{
	struct evictd_cgroup_key cgroup = row->cgroup;

	row->state = EVICTD_NOTIFY_ROW_GONE;
	row->counter = 0;
	__sync_fetch_and_add(&notify_stats.stale, 1);
	report_removal(&cgroup, evictd_notify_signals_beside(row->signal), now);
}

/* The row is locked. A move counts even if the ring is full, so that user space sees the gap. */
static __always_inline bool move_locked(struct evictd_notify_row *row, __u32 index, __u64 now,
					__u32 origin)
{
	struct evictd_notify_record *record;
	struct reading reading = {};
	struct step step;

	if (row->state != EVICTD_NOTIFY_ROW_LIVE)
		return false;
	if (!read_row(row, now, &reading)) {
		retire(row, now);
		return false;
	}
	step = locate(row, reading.level);
	if (step.position == row->position)
		return false;
	row->moves++;
	record = reserve_record();
	if (record) {
		*record = (struct evictd_notify_record){.kind = EVICTD_NOTIFY_MOVED,
							.origin = origin,
							.ktime_ns = now,
							.value = reading.value,
							.moves = row->moves,
							.cgroup = row->cgroup,
							.row = index,
							.generation = row->generation,
							.from = row->position,
							.to = step.position};
		bpf_ringbuf_submit(record, 0);
	}
	put(row, &step);
	evictd_notify_way_begins(&row->looks);
	return true;
}

/* False: another CPU is moving the row, and will see this CPU's change. */
__weak __noinline bool try_move(__u32 index, __u64 now, __u32 origin)
{
	struct evictd_notify_row *row = bpf_map_lookup_elem(&notify_rows, &index);

	if (!row || !row->again)
		return false;
	if (!lock_row(row))
		return false;
	/* Before the value is read: a later mark is for a later value. */
	__sync_lock_test_and_set(&row->again, 0);
	if (move_locked(row, index, now, origin))
		row->again = 1;
	unlock_row(row);
	return true;
}

/*
 * One CPU at a time moves a row, so its records are in the order of its moves. A CPU that comes
 * meanwhile leaves a mark, and the moving CPU checks again with a value read after the mark. It
 * also checks again after its own move: if the value turned back before the new window was visible,
 * the CPU that moved it found it within the old one.
 */
static __always_inline void move_row(struct evictd_notify_row *row, __u32 index, __u64 now,
				     __u32 origin)
{
	row->again = 1;
	for (int i = 0; i < MAX_MOVES; i++) {
		if (!try_move(index, now, origin))
			return;
	}
}

/*
 * Checks one row. Returns the time until the next check while it keeps moving; EVICTD_NEVER if the
 * hooks see every possible change.
 */
__weak __noinline __u64 look_at_row(__u32 index, __u64 now, __u32 origin)
{
	struct evictd_notify_row *row = bpf_map_lookup_elem(&notify_rows, &index);
	struct reading reading = {};
	__u64 old, period;

	if (!row || row->state != EVICTD_NOTIFY_ROW_LIVE)
		return EVICTD_NEVER;
	if (!read_row(row, now, &reading) || row->again || reading.level >= row->high ||
	    reading.level < row->low)
		move_row(row, index, now, origin);
	old = row->value;
	if (row->signal == EVICTD_NOTIFY_PIDS || row->signal == EVICTD_NOTIFY_RATE ||
	    (!cfg_needs_ticks && cfg_sees_uncharge)) {
		row->value = reading.value;
		return EVICTD_NEVER;
	}
	update_speed(row, reading.value, now);
	period = time_to_edge(row, reading.level);
	hint(row, reading.level, now);
	/* No hook reports freed memory: check for it while the value moves. */
	if (period > EVICTD_NOTIFY_MOVING_PERIOD_NS && !cfg_sees_uncharge && old != reading.value)
		period = EVICTD_NOTIFY_MOVING_PERIOD_NS;
	return period;
}

#endif
