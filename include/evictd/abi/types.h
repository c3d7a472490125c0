/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Base types of every structure shared by kernel programs and user space.
 *
 * Rules: fixed-width kernel types only; padding is written out; nothing is packed, because clang
 * would then write byte by byte. Each structure has its size asserted here and its layout compared
 * with the BTF of the compiled programs by a test.
 */
#ifndef EVICTD_ABI_TYPES_H
#define EVICTD_ABI_TYPES_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#ifdef __cplusplus
#define EVICTD_ABI_SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type)
#else
#define EVICTD_ABI_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), #type)
#endif

/* One cgroup of one hierarchy: on v1 an id alone is ambiguous. Hierarchy 0 is v2. */
struct evictd_cgroup_key {
	__u64 id;
	__u32 hierarchy;
	__u32 pad;
};
EVICTD_ABI_SIZE(struct evictd_cgroup_key, 16);

#endif
