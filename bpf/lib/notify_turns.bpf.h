/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 7: which rows a slow tick and a fast tick check. */
#ifndef EVICTD_BPF_NOTIFY_TURNS_H
#define EVICTD_BPF_NOTIFY_TURNS_H

#include "notify_look.bpf.h"

/* A slow tick. Most of many rows rest. One in this many is checked anyway: another cgroup may have
 * its counter by now, with the same value. */
#define WHOLE_LOOKS 8

struct slow_look {
	__u64 now;
	__u64 number; /* of this tick */
};

/* Growth without a charged page table approaches an edge without a kick. */
static long look_at_each(__u32 index, struct slow_look *look)
{
	struct evictd_notify_row *row = bpf_map_lookup_elem(&notify_rows, &index);
	__u64 before, period;

	if (!row || row->state != EVICTD_NOTIFY_ROW_LIVE)
		return 0;
	if ((index + look->number) % WHOLE_LOOKS && stands_still(row)) {
		notify_stats.still++;
		return 0;
	}
	before = row->value;
	period = look_at_row(index, look->now, EVICTD_NOTIFY_BY_TICK);
	if (row->value != before && evictd_notify_is_near(period))
		follow(row, index, look->now);
	return 0;
}

struct hot_look {
	__u64 now;
	__u64 period;
};

static long look_at_hot(__u32 i, struct hot_look *look)
{
	__u32 index = notify_schedule.hot[i % EVICTD_NOTIFY_HOT_ROWS];
	struct evictd_notify_row *row;
	__u64 before, period, rest;

	if (!index--)
		return 0;
	row = bpf_map_lookup_elem(&notify_rows, &index);
	if (!row || row->state != EVICTD_NOTIFY_ROW_LIVE) {
		notify_schedule.hot[i % EVICTD_NOTIFY_HOT_ROWS] = 0;
		return 0;
	}
	before = row->value;
	period = look_at_row(index, look->now, EVICTD_NOTIFY_BY_TICK);
	/* The value moves on without a hook: freed memory, or the next charge batch. */
	if (row->value != before)
		row->kick_ktime_ns = look->now;
	/* A kick on another CPU may be later than this tick's `now`. */
	rest = minus_floored(look->now, row->kick_ktime_ns);
	if (!evictd_notify_is_followed(period, rest)) {
		notify_schedule.hot[i % EVICTD_NOTIFY_HOT_ROWS] = 0;
		return 0;
	}
	period = wait_of(index, look->now, evictd_notify_next_look(period, rest));
	if (period < look->period)
		look->period = period;
	return 0;
}

#endif
