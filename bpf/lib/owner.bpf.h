/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 1: whose a counter is, found from its address alone. */
#ifndef EVICTD_BPF_OWNER_H
#define EVICTD_BPF_OWNER_H

#include <vmlinux.h>
#include <bpf/bpf_core_read.h>

static __always_inline struct cgroup_subsys_state *css_of_memory_counter(__u64 counter)
{
	return (void *)counter - bpf_core_field_offset(struct mem_cgroup, memory) +
	       bpf_core_field_offset(struct mem_cgroup, css);
}

static __always_inline struct cgroup_subsys_state *css_of_swap_counter(__u64 counter)
{
	return (void *)counter - bpf_core_field_offset(struct mem_cgroup, memsw) +
	       bpf_core_field_offset(struct mem_cgroup, css);
}

static __always_inline struct cgroup_subsys_state *css_of_pids_counter(__u64 counter)
{
	return (void *)counter - bpf_core_field_offset(struct pids_cgroup, counter) +
	       bpf_core_field_offset(struct pids_cgroup, css);
}

/* Set by kill_css(): before the tracepoint of cgroup_rmdir, and when a controller is taken away
 * from a cgroup that stays, of which no tracepoint tells. */
static __always_inline bool css_is_dying(const struct cgroup_subsys_state *css)
{
	return BPF_CORE_READ(css, flags) & CSS_DYING;
}

/*
 * The cgroup that a counter belongs to now, by the way back from the counter: memory that was given
 * to another cgroup names that one, and what it was given to other than that names none of ours.
 */
static __always_inline __u64 owner_of_css(const struct cgroup_subsys_state *css)
{
	return BPF_CORE_READ(css, cgroup, kn, id);
}

#endif
