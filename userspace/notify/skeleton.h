// SPDX-License-Identifier: Apache-2.0
#pragma once

// The generated skeleton and the headers that it needs. For .cpp files of this folder only.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "evictd/abi/notify_row.h"
// The skeleton needs complete types of the shared structures.
#include "evictd_notify_bpf.skel.h"
