// SPDX-License-Identifier: Apache-2.0
#include "sys/node_name.h"

#include <unistd.h>

#include <array>
#include <climits>

namespace evictd::sys {

std::string node_name_from(std::string_view host_name) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = host_name.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  std::string name(host_name.substr(first, host_name.find_last_not_of(kBlanks) + 1 - first));
  for (char& letter : name) {
    if (letter >= 'A' && letter <= 'Z') {
      letter = static_cast<char>(letter - 'A' + 'a');
    }
  }
  return name;
}

std::string node_name_here() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  // Fails only for a name longer than the kernel's maximum.
  static_cast<void>(::gethostname(name.data(), name.size()));
  name.back() = '\0';
  return node_name_from(name.data());
}

}  // namespace evictd::sys
