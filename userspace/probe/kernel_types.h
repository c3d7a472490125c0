// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "probe/ladder.h"

namespace evictd::probe {

/// Kernel features for the kernel side, from the kernel's BTF.
struct KernelTypes {
  /// Target type of bpf_rdonly_cast(): the BTF id of a structure that begins with a signed 64-bit
  /// integer. 0: the kernel lacks bpf_rdonly_cast() (since 6.2), and counters are read with calls
  /// of bpf_probe_read_kernel().
  std::uint32_t number_type = 0;
  /// The kernel has cgroup iterators (since 6.1). Without them the programs with bounded loops are
  /// loaded, which work on 5.10 (bpf/lib/repeat.bpf.h).
  bool cgroup_iterators = true;
  /// The kernel lets a program signal any task (bpf_send_signal_task(), since 6.13). Without it the
  /// rows of the backstop that list processes are not tried.
  bool signals_tasks = false;

  /// For doctor.
  [[nodiscard]] Feature direct_reads() const;
  [[nodiscard]] Feature programs() const;
};

/// Reads the kernel's BTF from the file `path` (/sys/kernel/btf/vmlinux). Returns KernelTypes{} for
/// an unreadable file. Cost: about 10 ms, and 10 MB during the call.
[[nodiscard]] KernelTypes find_kernel_types(const std::string& path);

}  // namespace evictd::probe
