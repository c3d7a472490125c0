/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Layer 3: the reads for every row, without a call if the kernel supports it.
 *
 * bpf_rdonly_cast() (6.2) makes a pointer to a kernel type out of any number; the verifier replaces
 * it by a move. A load through such a pointer is one instruction. As with bpf_probe_read_kernel(),
 * an unreadable address gives 0. The type is named by its number in the kernel's own BTF, which
 * user space looks up (userspace/probe/kernel_types.cpp). User space leaves 0 where the kernel has
 * no such function: the verifier then sees that the call is never reached, and drops it.
 *
 * For one source file only: the linker of libbpf 1.1 does not merge two declarations of a kernel
 * function.
 */
#ifndef EVICTD_BPF_LOAD_H
#define EVICTD_BPF_LOAD_H

#include "maps.bpf.h"

#ifndef EVICTD_BOUNDED
extern void *bpf_rdonly_cast(void *obj, __u32 btf_id) __ksym __weak;
#endif

/* Same result as read_u64(). */
static __always_inline __u64 load_u64(__u64 address)
{
#ifdef EVICTD_BOUNDED
	return read_u64(address);
#else
	if (!cfg_number_type)
		return read_u64(address);
	return *(volatile __u64 *)bpf_rdonly_cast((void *)address, cfg_number_type);
#endif
}

/* Of no other css since the machine started. It is beside the flags, and its cgroup's id would be
 * three cache lines away: with thousands of rows none of those is in the cache. */
static __always_inline __u64 load_serial(const struct cgroup_subsys_state *css)
{
	return load_u64((__u64)css + bpf_core_field_offset(struct cgroup_subsys_state, serial_nr));
}

/* Same result as css_is_dying(): on the supported machines (little-endian) the flags are the first
 * half of the eight bytes read. */
static __always_inline bool load_dying(const struct cgroup_subsys_state *css)
{
	return load_u64((__u64)css + bpf_core_field_offset(struct cgroup_subsys_state, flags)) &
	       CSS_DYING;
}

/* Same result as inactive_pages(). */
static __always_inline __u64 load_pages(__u64 address)
{
	return pages_from(load_u64(address));
}

/* Same result as limit_of_counter(). */
static __always_inline __u64 load_limit(__u64 counter)
{
	__u64 max = load_u64(counter + bpf_core_field_offset(struct page_counter, max));

	return limit_from(max, cfg_page_shift);
}

#endif
