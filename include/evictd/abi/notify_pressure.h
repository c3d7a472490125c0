/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory pressure of a cgroup as in cgroup v1's memory.pressure_level: its level, and the records
 * that the kernel programs for cgroup v2 send to user space. */
#ifndef EVICTD_ABI_NOTIFY_PRESSURE_H
#define EVICTD_ABI_NOTIFY_PRESSURE_H

#include "notify_terms.h"
#include "types.h"

/* Percent of the scanned pages that could not be reclaimed. Source: mm/vmpressure.c. */
#define EVICTD_NOTIFY_MEDIUM_PERCENT   60
#define EVICTD_NOTIFY_CRITICAL_PERCENT 95

/* The enum evictd_notify_level of a window in which `reclaimed` of `scanned` pages were freed, with
 * the kernel's rounding. More may be freed than scanned: slab, and the rest of a huge page. */
static inline __u32 evictd_notify_level_of(__u64 scanned, __u64 reclaimed)
{
	__u64 scale = scanned + reclaimed;
	__u64 percent = 0;

	if (reclaimed >= scanned) {
		return EVICTD_NOTIFY_LOW;
	}
	percent = (scale - reclaimed * scale / scanned) * 100 / scale;
	if (percent >= EVICTD_NOTIFY_CRITICAL_PERCENT) {
		return EVICTD_NOTIFY_CRITICAL;
	}
	return percent >= EVICTD_NOTIFY_MEDIUM_PERCENT ? EVICTD_NOTIFY_MEDIUM : EVICTD_NOTIFY_LOW;
}

/* The listeners of a cgroup; hash `pressure_cgroups`. */
struct evictd_pressure_cgroup {
	__u32 lowest; /* lowest enum evictd_notify_level of its listeners */
	__u32 pad;
};
EVICTD_ABI_SIZE(struct evictd_pressure_cgroup, 8);

/* Most cgroups with listeners, one below the other, in one record. */
#define EVICTD_PRESSURE_CHAIN 32

/* One completed window; record of the ring buffer `pressure_records`. A window with too many
 * cgroups for one record has several, in order; records of other windows may lie between them. */
struct evictd_pressure_record {
	__u64 ktime_ns;
	__u64 window;	 /* its number, the same in all its records */
	__u32 level;	 /* enum evictd_notify_level */
	__u32 hierarchy; /* of all cgroups below */
	__u32 at_source; /* 1: cgroups[0] is the scanned cgroup; 0: an ancestor of it */
	__u32 count;	 /* of cgroups */
	__u32 goes_on;	 /* 1: another record of this window follows */
	__u32 pad;
	__u64 cgroups[EVICTD_PRESSURE_CHAIN]; /* with listeners, from the one scanned upwards */
};
EVICTD_ABI_SIZE(struct evictd_pressure_record, 296);

/* Counters that only grow. */
struct evictd_pressure_stats {
	__u64 windows; /* completed, with listeners or without */
	__u64 dropped; /* records lost because the ring was full */
};
EVICTD_ABI_SIZE(struct evictd_pressure_stats, 16);

#endif
