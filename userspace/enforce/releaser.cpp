// SPDX-License-Identifier: Apache-2.0
#include "enforce/releaser.h"

#include <fcntl.h>

#include <cerrno>

#include "base/fd.h"
#include "enforce/process_lister.h"
#include "sys/pidfd.h"

namespace evictd::enforce {

namespace {

/// Pods with more processes have none that is large.
constexpr std::size_t kMostToRelease = 4096;

}  // namespace

void Releaser::release(const KillTarget& target) {
  ProcessList list(kMostToRelease);
  list_again(target, list);
  for (const pid_t pid : list.pids) {
    if (!supported_) {
      return;
    }
    release_process(pid);
  }
}

void Releaser::release_process(pid_t pid) {
  const sys::CallResult<base::Fd> pidfd = sys::open_pidfd(pid);
  if (!pidfd) {
    ++counters_.needless;
    return;
  }
  const sys::CallResult<> released = sys::release_memory(*pidfd);
  if (released) {
    ++counters_.released;
    return;
  }
  switch (released.error()) {
    case std::errc::no_such_process:
    case std::errc::resource_unavailable_try_again:
      ++counters_.needless;
      return;
    case std::errc::invalid_argument:
      ++counters_.refused;
      return;
    case std::errc::function_not_supported:
      supported_ = false;
      return;
    default:
      ++counters_.failed;
  }
}

}  // namespace evictd::enforce
