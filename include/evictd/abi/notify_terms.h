/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The terms of a notification: signal, unit, direction. The wire protocol, the C library and the
 * kernel programs share them; their numbers never change.
 */
#ifndef EVICTD_ABI_NOTIFY_TERMS_H
#define EVICTD_ABI_NOTIFY_TERMS_H

/*
 * What is watched, for a cgroup together with everything below it.
 *
 * The first five are values with thresholds. A value is *above* a threshold when value >= threshold
 * and *below* it otherwise, as in cgroup v1.
 */
enum evictd_notify_signal {
	/* Charged memory, bytes: v1 memory.usage_in_bytes, v2 memory.current. */
	EVICTD_NOTIFY_USAGE = 0,
	/* Memory and swap together, bytes: v1 memory.memsw.usage_in_bytes, v2 memory.current +
	 * memory.swap.current. */
	EVICTD_NOTIFY_MEMSW = 1,
	/* Usage minus inactive file cache, bytes, 0 at least: the working set of the kubelet. */
	EVICTD_NOTIFY_WORKING_SET = 2,
	/* Growth of usage, bytes a second, 0 while it shrinks. */
	EVICTD_NOTIFY_RATE = 3,
	/* Tasks: pids.current. */
	EVICTD_NOTIFY_PIDS = 4,
	/* Reclaim makes little progress: v1 memory.pressure_level. The threshold is an enum
	 * evictd_notify_level. On v2 it needs a kernel program, else EOPNOTSUPP. */
	EVICTD_NOTIFY_PRESSURE = 5,
	/* The OOM killer runs because of the limit of the cgroup or of an ancestor: v1
	 * memory.oom_control, v2 oom in memory.events.local. The threshold is 0. On v1 it fires at
	 * once if the cgroup is under OOM at registration. */
	EVICTD_NOTIFY_OOM = 6,
	EVICTD_NOTIFY_SIGNALS = 7
};

/* Unit of a threshold and its hysteresis. */
enum evictd_notify_unit {
	/* The signal's own: bytes, bytes a second, tasks. Thresholds of USAGE and MEMSW are rounded
	 * down to whole pages, as v1 does. */
	EVICTD_NOTIFY_ABSOLUTE = 0,
	/* Millionths of the cgroup's own limit of that signal (EVICTD_NOTIFY_PERCENT()); follows
	 * changes of the limit. Without a limit the value is below. Not for RATE, PRESSURE, OOM.
	 */
	EVICTD_NOTIFY_OF_LIMIT = 1,
	EVICTD_NOTIFY_UNITS = 2
};

/* `percent` of a limit in EVICTD_NOTIFY_OF_LIMIT, fractions allowed: EVICTD_NOTIFY_PERCENT(92.5).
 */
#define EVICTD_NOTIFY_PERCENT(percent) ((unsigned long long)((percent)*10000))
/* The whole limit. */
#define EVICTD_NOTIFY_WHOLE 1000000ULL

/* Which crossings count. */
enum evictd_notify_direction {
	EVICTD_NOTIFY_BOTH = 0, /* as v1 */
	EVICTD_NOTIFY_UP = 1,	/* from below to above */
	EVICTD_NOTIFY_DOWN = 2, /* from above to below */
	EVICTD_NOTIFY_DIRECTIONS = 3
};

/* Severity of EVICTD_NOTIFY_PRESSURE; a listener gets its own level and higher ones. */
enum evictd_notify_level {
	EVICTD_NOTIFY_LOW = 0,
	EVICTD_NOTIFY_MEDIUM = 1,
	EVICTD_NOTIFY_CRITICAL = 2,
	EVICTD_NOTIFY_LEVELS = 3
};

/* Whose pressure reaches a listener of EVICTD_NOTIFY_PRESSURE. */
enum evictd_notify_mode {
	/* The cgroup's own, and a descendant's unless a listener in between got it. */
	EVICTD_NOTIFY_DEFAULT = 0,
	/* The cgroup's own and every descendant's. */
	EVICTD_NOTIFY_HIERARCHY = 1,
	/* The cgroup's own only. */
	EVICTD_NOTIFY_LOCAL = 2,
	EVICTD_NOTIFY_MODES = 3
};

/* Where a value stands. */
enum evictd_notify_side {
	EVICTD_NOTIFY_BELOW = 0,
	EVICTD_NOTIFY_ABOVE = 1,
	EVICTD_NOTIFY_NO_SIDE = 2 /* PRESSURE and OOM have none */
};

/* Who finds the crossings. */
enum evictd_notify_backend {
	EVICTD_NOTIFY_KERNEL = 0, /* a kernel program, at once */
	EVICTD_NOTIFY_POLLING = 1 /* files read periodically: short excursions are missed */
};

#endif
