// SPDX-License-Identifier: Apache-2.0
#include "base/kernel_clock.h"

#include <fcntl.h>

#include <cerrno>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "base/fd.h"
#include "base/read_up_to.h"
#include "evictd/try.h"

namespace evictd::base {
namespace {

/// Two lines of about 30 characters.
constexpr std::size_t kMostText = 4096;
/// The initial time namespace, whose offsets are 0. Source: PROC_TIME_INIT_INO of linux/proc_ns.h.
constexpr std::string_view kFirstNamespace = "time:[4026531834]";
/// The kernel's limit for offsets. Source: proc_timens_set_offset(), half of KTIME_SEC_MAX.
constexpr std::int64_t kMostSeconds = 4'611'686'018;
constexpr std::int64_t kNanosecondsInASecond = 1'000'000'000;

/// Empty if there is no such link.
std::string link_text(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::read_symlink(path, ignored).string();
}

}  // namespace

Result<Duration> parse_monotonic_offset(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string clock;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    if (!(words >> clock) || clock != "monotonic") {
      continue;
    }
    const bool whole = words >> seconds >> nanoseconds && seconds >= -kMostSeconds &&
                       seconds <= kMostSeconds && nanoseconds >= 0 &&
                       nanoseconds < kNanosecondsInASecond;
    if (!whole) {
      break;
    }
    return std::chrono::seconds(seconds) + Duration(nanoseconds);
  }
  return fail(Errc::kMalformed,
              "no line \"monotonic SECONDS NANOSECONDS\": the offset of the time namespace is "
              "unknown");
}

Result<KernelClock> KernelClock::learn(const std::string& root) {
  const std::string own = link_text(root + "/proc/self/ns/time");
  if (own.empty() || own == kFirstNamespace) {
    return KernelClock();
  }
  if (link_text(root + "/proc/self/ns/time_for_children") != own) {
    return fail(Errc::kUnsupported,
                "this process is in another time namespace than its children, so that the offset "
                "of its clock is unknown; let it be started by a process that is in the namespace "
                "(unshare --time --fork)");
  }
  const std::string path = root + "/proc/self/timens_offsets";
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return fail_errno(errno, "read " + path);
  }
  EVICTD_ASSIGN_OR_RETURN(const std::string text, read_up_to(file.get(), kMostText, path));
  EVICTD_ASSIGN_OR_RETURN(const Duration offset, EVICTD_IN(path, parse_monotonic_offset(text)));
  return KernelClock(offset);
}

}  // namespace evictd::base
