// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "probe/ladder.h"

namespace evictd::probe {

/// What the kernel's BTF says of what the kernel side can have.
struct KernelTypes {
  /// What bpf_rdonly_cast() is told that it casts to: number, in the kernel's BTF, of a structure
  /// that begins with a signed 64-bit integer. 0: the kernel has no bpf_rdonly_cast(), which came
  /// with 6.2, and counters are read by calls of bpf_probe_read_kernel().
  std::uint32_t number_type = 0;
  /// There are iterators of cgroups, which came with 6.1. Without them the programs with bounded
  /// loops are loaded, which need nothing that 5.10 has not (bpf/lib/repeat.bpf.h).
  bool cgroup_iterators = true;

  /// For doctor.
  [[nodiscard]] Feature direct_reads() const;
  [[nodiscard]] Feature programs() const;
};

/// Looks into BTF of the kernel that is in file `path` (/sys/kernel/btf/vmlinux). Of a file that
/// cannot be read nothing is known: as KernelTypes{}. About 10 ms and 10 MB for the time of the
/// call.
[[nodiscard]] KernelTypes find_kernel_types(const std::string& path);

}  // namespace evictd::probe
