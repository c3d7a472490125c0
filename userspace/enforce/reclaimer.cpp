// SPDX-License-Identifier: Apache-2.0
#include "enforce/reclaimer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "base/fd.h"
#include "enforce/process_lister.h"

namespace evictd::enforce {

namespace {

/// One process is enough to leave a pod alone.
constexpr std::size_t kAnyProcess = 1;

bool has_process(const KillTarget& target) {
  ProcessList list(kAnyProcess);
  static_cast<void>(list_anew(target, list, [&list] { return !list.pids.empty(); }));
  return !list.pids.empty() || list.unread;
}

/// The file that the kernel reclaims by, and what is written to it.
struct Control {
  base::Fd file;
  std::string text;
};

Control control_in(int directory, Bytes charged) {
  base::Fd reclaim(::openat(directory, "memory.reclaim", O_WRONLY | O_CLOEXEC));
  if (reclaim) {
    return {.file = std::move(reclaim), .text = std::to_string(charged.value)};
  }
  return {.file = base::Fd(::openat(directory, "memory.force_empty", O_WRONLY | O_CLOEXEC)),
          .text = "0"};
}

}  // namespace

void Reclaimer::reclaim(const KillTarget& target) {
  const std::optional<Bytes> charged = target.usage();
  if (!charged || charged->value == 0 || has_process(target)) {
    return;
  }
  const base::Fd directory = target.open_directory();
  if (!directory) {
    return;
  }
  const Control control = control_in(directory.get(), *charged);
  const bool written =
      control.file && ::write(control.file.get(), control.text.data(), control.text.size()) >= 0;
  // EAGAIN: less than that was to be had. EBUSY: v1 before 4.17, the same.
  if (!written && errno != EAGAIN && errno != EBUSY) {
    counters_.failed += errno == ENODEV ? 0 : 1;
    return;
  }
  ++counters_.reclaims;
  counters_.incomplete += written && target.usage().value_or(Bytes{0}).value == 0 ? 0 : 1;
}

}  // namespace evictd::enforce
