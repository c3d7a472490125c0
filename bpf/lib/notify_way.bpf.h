/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 5: how fast a row's value moves, how soon it can reach an edge, and hints about it. */
#ifndef EVICTD_BPF_NOTIFY_WAY_H
#define EVICTD_BPF_NOTIFY_WAY_H

#include "motion.bpf.h"
#include "notify_kick.bpf.h"
#include "notify_row.bpf.h"

#define NEAR_BYTES	 (4ULL << 20)
#define FALLING_FLOOR_NS 100000ULL
#define FASTEST_UP	 32000000000ULL
#define FASTEST_DOWN	 64000000000ULL
/* A slowly moving value is not checked like a fast one: the hook sees each 2 MiB, and after a rest
 * the fastest speed is assumed. */
#define SLOW_PART 32

/* Limit for evictd_notify_is_near(): the slowest way across the near range takes less. */
_Static_assert(NEAR_BYTES * 1000000000ULL / (FASTEST_UP / SLOW_PART) <
		   EVICTD_NOTIFY_MOVING_PERIOD_NS,
	       "a near row would be taken for one that only moves");

static __always_inline struct motion row_motion(void)
{
	struct motion motion = {
	    .fastest_up = FASTEST_UP,
	    .fastest_down = FASTEST_DOWN,
	    .slow_part = SLOW_PART,
	    .near = NEAR_BYTES,
	    .batch = CHARGE_BATCH_PAGES << cfg_page_shift,
	    .floor_up_ns = FLOOR_NS,
	    .floor_down_ns = FALLING_FLOOR_NS,
	    .rest_ns = EVICTD_NOTIFY_KICK_WINDOW_NS,
	};

	return motion;
}

/* Speed over the last checks, in units of the value per second. */
static __always_inline void update_speed(struct evictd_notify_row *row, __u64 value, __u64 now)
{
	__u64 elapsed = now - row->value_ktime_ns;
	struct motion motion = row_motion();

	if ((__s64)elapsed < (__s64)SPEED_WINDOW_NS)
		return;
	row->speed = damped(speed_between(&motion, row->value, value, elapsed), row->speed);
	row->growth = growth_between(&motion, row->value, value, elapsed, row->growth);
	row->value = value;
	row->value_ktime_ns = now;
}

/* Distance to an edge, in units of the value. */
static __always_inline __u64 distance_of(const struct evictd_notify_row *row, __u64 edges)
{
	__u64 limit;

	if (row->unit != EVICTD_NOTIFY_OF_LIMIT || edges == EVICTD_NEVER)
		return edges;
	limit = read_limit(row);
	if (limit == EVICTD_NEVER)
		return EVICTD_NEVER;
	return (limit << cfg_page_shift) / (WHOLE_LIMIT / 16) * edges / 16;
}

static __always_inline __u64 distance_up(const struct evictd_notify_row *row, __u64 level)
{
	return distance_of(row, row->high == EVICTD_NEVER ? EVICTD_NEVER
							  : minus_floored(row->high, level));
}

/* Shortest time to an edge (motion.bpf.h). */
static __always_inline __u64 time_to_edge(const struct evictd_notify_row *row, __u64 level)
{
	__u64 up = distance_up(row, level);
	__u64 down = distance_of(row, row->low ? minus_floored(level, row->low) : EVICTD_NEVER);
	struct motion motion = row_motion();

	if (evictd_notify_is_last_stretch(up, motion.batch, row->growth))
		return evictd_notify_stretch_look(motion.batch, row->growth);
	return time_to_bound(&motion, up, down, row->speed);
}

/* Tells user space to stay awake if the edge above is about to be passed. A hint lost to a full
 * ring does no harm, so it is counted apart from the records that a resync makes up for. */
static __always_inline void hint(const struct evictd_notify_row *row, __u64 level, __u64 now)
{
	struct evictd_notify_record *record;
	__u64 up = distance_up(row, level);
	__u64 away;

	if (!up || up > NEAR_BYTES)
		return;
	away = evictd_notify_time_away(up, row->growth);
	if (away > EVICTD_NOTIFY_HINT_NS || !evictd_notify_pay_hint(&notify_schedule.hints, now))
		return;
	record = bpf_ringbuf_reserve(&notify_records, sizeof(*record), 0);
	if (!record) {
		__sync_fetch_and_add(&notify_stats.lost_hints, 1);
		return;
	}
	__sync_fetch_and_add(&notify_stats.hints, 1);
	*record = (struct evictd_notify_record){.kind = EVICTD_NOTIFY_HINT,
						.ktime_ns = now,
						.value = away,
						.row = bpf_get_smp_processor_id()};
	bpf_ringbuf_submit(record, 0);
}

#endif
