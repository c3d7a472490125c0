/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layer 1: the owner of a counter, found from its address alone. */
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

/* Set by kill_css(): before the tracepoint of cgroup_rmdir, and when a remaining cgroup loses a
 * controller, which no tracepoint reports. */
static __always_inline bool css_is_dying(const struct cgroup_subsys_state *css)
{
	return BPF_CORE_READ(css, flags) & CSS_DYING;
}

/*
 * The cgroup that owns a counter now, found from the counter. If the memory was reused for another
 * cgroup, it names that one; if for anything else, it names no watched cgroup.
 */
static __always_inline __u64 owner_of_css(const struct cgroup_subsys_state *css)
{
	return BPF_CORE_READ(css, cgroup, kn, id);
}

#endif
