// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace evictd::probe {

/// Address of the kernel's own symbol `name`. 0 if the kernel does not list it (it lists no data
/// without CONFIG_KALLSYMS_ALL), or hides addresses from this process (CAP_SYSLOG).
/// Source: /proc/kallsyms. Cost: some 50 ms, for the kernel writes 100,000 lines.
[[nodiscard]] std::uint64_t address_of_kernel_symbol(const std::string& name);

}  // namespace evictd::probe
