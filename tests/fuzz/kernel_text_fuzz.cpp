// SPDX-License-Identifier: Apache-2.0
// Readers of the kernel's small texts give a number or nothing, never a negative one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sys/kernel_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evictd;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto meminfo = sys::find_meminfo(text, "MemTotal");
  const auto tasks = sys::parse_loadavg_tasks(text);
  static_cast<void>(sys::parse_single_number(text));
  static_cast<void>(sys::find_stat(text, "inactive_file"));
  if ((meminfo && meminfo->value < 0) || (tasks && *tasks < 0)) {
    std::abort();
  }
  return 0;
}
