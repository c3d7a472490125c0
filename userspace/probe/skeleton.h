// SPDX-License-Identifier: Apache-2.0
#pragma once

// The generated skeleton, with what it needs in front. For .cpp files of this folder only.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "evictd/abi/backstop.h"
#include "evictd/abi/table.h"
#include "evictd/abi/watch.h"
// The shared structures are complete before the skeleton uses them.
#include "evictd_bpf.skel.h"
// Only its instructions are used.
#include "evictd_bounded_bpf.skel.h"
