// SPDX-License-Identifier: Apache-2.0
#include "probe/kernel_symbols.h"

#include <charconv>
#include <fstream>

namespace evictd::probe {

std::uint64_t address_of_kernel_symbol(const std::string& name) {
  std::ifstream symbols("/proc/kallsyms");
  // Those of modules have the module behind the name.
  const std::string end = " " + name;
  std::uint64_t address = 0;
  for (std::string line; std::getline(symbols, line);) {
    if (line.ends_with(end)) {
      std::from_chars(line.data(), line.data() + line.size(), address, 16);
      break;
    }
  }
  return address;
}

}  // namespace evictd::probe
