// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "probe/ladder.h"

namespace evictd::probe {

/// Whether the kernel side may load the counters of rows and watches itself, instead of calling
/// bpf_probe_read_kernel() for each.
struct DirectReads {
  /// What bpf_rdonly_cast() is told that it casts to: number, in the kernel's BTF, of a structure
  /// that begins with a signed 64-bit integer. 0: the kernel has no bpf_rdonly_cast(), which came
  /// with 6.2.
  std::uint32_t number_type = 0;

  /// For doctor.
  [[nodiscard]] Feature feature() const;
};

/// Looks into BTF of the kernel that is in file `path` (/sys/kernel/btf/vmlinux). A file that
/// cannot be read has nothing. About 10 ms and 10 MB for the time of the call.
[[nodiscard]] DirectReads find_direct_reads(const std::string& path);

}  // namespace evictd::probe
