// SPDX-License-Identifier: Apache-2.0
#include "sys/parent_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace evictd::sys {

CallResult<pid_t> parent_process(pid_t pid) {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", pid);
  const base::Fd file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 128> text{};
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : -1;
  if (size < 0) {
    return tl::unexpected<std::errc>(static_cast<std::errc>(errno));
  }
  // PID (NAME) STATE PARENT ...; a name may contain any of these characters.
  const std::string_view line(text.data(), static_cast<std::size_t>(size));
  const std::size_t after_name = line.rfind(") ");
  constexpr std::size_t kToParent = 4;
  pid_t parent = 0;
  if (after_name == std::string_view::npos || after_name + kToParent >= line.size() ||
      std::from_chars(line.data() + after_name + kToParent, line.data() + line.size(), parent).ec !=
          std::errc()) {
    return tl::unexpected<std::errc>(std::errc::illegal_byte_sequence);
  }
  return parent;
}

}  // namespace evictd::sys
