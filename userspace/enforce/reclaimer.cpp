// SPDX-License-Identifier: Apache-2.0
#include "enforce/reclaimer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/read_up_to.h"
#include "sys/directory.h"
#include "sys/kernel_text.h"

namespace evictd::enforce {

namespace {

constexpr Bytes kPart = 32_MiB;
constexpr std::size_t kTextBytes = 4096;
/// A tree that is deeper is not understood, and left alone.
constexpr int kDeepestTree = 16;

std::optional<std::string> text_in(int directory, const char* name) {
  const base::Fd file(::openat(directory, name, O_RDONLY | O_CLOEXEC));
  if (!file) {
    return std::nullopt;
  }
  Result<std::string> text = base::read_up_to(file.get(), kTextBytes, name);
  return text ? std::optional(std::move(*text)) : std::nullopt;
}

/// v1 keeps no account of it.
bool tree_has_process(int directory, int depth) {
  const std::optional<std::string> procs = text_in(directory, "cgroup.procs");
  if (!procs || !procs->empty() || depth == kDeepestTree) {
    return true;
  }
  const base::Fd listing(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Result<std::vector<std::string>> below =
      listing ? sys::directories_in(listing.get()) : fail_errno(errno, "list a cgroup");
  return !below || std::any_of(below->begin(), below->end(), [&](const std::string& name) {
    const base::Fd child(
        ::openat(directory, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return !child ? errno != ENOENT : tree_has_process(child.get(), depth + 1);
  });
}

/// What cannot be read may have one.
bool may_have_process(int directory) {
  if (const std::optional<std::string> events = text_in(directory, "cgroup.events")) {
    return sys::find_stat(*events, "populated") != 0;
  }
  return tree_has_process(directory, 0);
}

/// By a description of our own: whoever waits for one of the hot thread's would have it wait.
std::int64_t charged_in(int directory) {
  for (const char* const name : {"memory.current", "memory.usage_in_bytes"}) {
    if (const std::optional<std::string> text = text_in(directory, name)) {
      return sys::parse_single_number(*text).value_or(0);
    }
  }
  return 0;
}

/// The file that the kernel reclaims by, and what is written to it.
struct Control {
  base::Fd file;
  std::string text;
  bool in_parts = false;
};

Control control_in(int directory, std::int64_t charged) {
  base::Fd reclaim(::openat(directory, "memory.reclaim", O_WRONLY | O_CLOEXEC));
  if (reclaim) {
    return {.file = std::move(reclaim),
            .text = std::to_string(std::min(charged, kPart.value)),
            .in_parts = true};
  }
  return {.file = base::Fd(::openat(directory, "memory.force_empty", O_WRONLY | O_CLOEXEC)),
          .text = "0"};
}

}  // namespace

Reclaimer::Step Reclaimer::give_up(bool incomplete) {
  counters_.incomplete += begun_ && incomplete ? 1 : 0;
  begun_ = false;
  return Step::kDone;
}

Reclaimer::Step Reclaimer::step(const KillTarget& target) {
  const base::Fd directory = target.open_directory();
  if (!directory) {
    return give_up(/*incomplete=*/false);
  }
  const std::int64_t charged = charged_in(directory.get());
  if (charged == 0 || may_have_process(directory.get())) {
    return give_up(/*incomplete=*/charged != 0);
  }
  const Control control = control_in(directory.get(), charged);
  const bool written =
      control.file && ::write(control.file.get(), control.text.data(), control.text.size()) >= 0;
  // EAGAIN: less could be reclaimed. EBUSY: the same on v1 before 4.17. ENODEV: it is gone.
  const bool refused = !written && errno != EAGAIN && errno != EBUSY && errno != ENODEV;
  counters_.failed += refused ? 1 : 0;
  if (refused) {
    return give_up(/*incomplete=*/false);
  }
  counters_.reclaims += begun_ ? 0 : 1;
  begun_ = true;
  // A refused write ends it: no more can be reclaimed.
  const bool more = written && control.in_parts && charged_in(directory.get()) < charged;
  return more ? Step::kMore : give_up(charged_in(directory.get()) != 0);
}

}  // namespace evictd::enforce
