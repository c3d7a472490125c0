// SPDX-License-Identifier: Apache-2.0
#include "sys/process_start.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string_view>

#include "base/fd.h"

namespace evictd::sys {

namespace {

/// Places after the name, the state being the first: proc(5).
constexpr int kStartTime = 19;

/// The file counts suspension, which the monotonic clock does not.
Duration suspended_so_far() {
  const auto read = [](clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return Duration(std::chrono::seconds(now.tv_sec)) + std::chrono::nanoseconds(now.tv_nsec);
  };
  return read(CLOCK_BOOTTIME) - read(CLOCK_MONOTONIC);
}

}  // namespace

CallResult<MonoTime> process_start(pid_t pid) {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/stat", pid);
  const base::Fd file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  std::array<char, 512> text{};
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : -1;
  if (size < 0) {
    return tl::unexpected<std::errc>(static_cast<std::errc>(errno));
  }
  // PID (NAME) STATE ...; a name may contain any of these characters.
  std::string_view rest(text.data(), static_cast<std::size_t>(size));
  const std::size_t after_name = rest.rfind(") ");
  rest.remove_prefix(after_name == std::string_view::npos ? rest.size() : after_name + 2);
  for (int place = 0; place < kStartTime; ++place) {
    const std::size_t space = rest.find(' ');
    rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
  }
  std::int64_t ticks = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), ticks).ec != std::errc()) {
    return tl::unexpected<std::errc>(std::errc::illegal_byte_sequence);
  }
  const Duration tick = Duration(std::chrono::seconds(1)) / ::sysconf(_SC_CLK_TCK);
  return MonoTime(ticks * tick - suspended_so_far());
}

}  // namespace evictd::sys
