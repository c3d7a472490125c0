// SPDX-License-Identifier: Apache-2.0
#include "daemon/descriptor_shares.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/fd.h"
#include "daemon/hot/hot_pod.h"

namespace evictd::daemon {

namespace {

/// Descriptors that a pod with one container keeps: five for signals and three for readings on v1.
constexpr std::uint64_t kPerPod = 8;

/// Of sixteen parts of the limit, two are not for signals and one is for no pod at all. With 20,000
/// one part is 1,250: more than the actuator opens at a time (768 pidfds) plus everything else.
constexpr std::uint64_t kParts = 16;
constexpr std::uint64_t kForSignals = 14;
constexpr std::uint64_t kForPods = 15;

}  // namespace

Result<DescriptorLimit> raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return fail_errno(errno, "read the limit of descriptors");
  }
  DescriptorLimit raised{.before = limit.rlim_cur, .now = limit.rlim_max};
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return fail_errno(errno, "raise the limit of descriptors");
  }
  return raised;
}

void make_room_for_descriptors(std::uint64_t limit) {
  const std::uint64_t last = std::min(limit, kPerPod * kMaxPods) - 1;
  const base::Fd any(::eventfd(0, EFD_CLOEXEC));
  // The kernel never shrinks the table.
  const base::Fd largest(::fcntl(any.get(), F_DUPFD_CLOEXEC, static_cast<int>(last)));
}

DescriptorShares::DescriptorShares(std::uint64_t limit)
    : prepare_below_(limit / kParts * kForSignals), files_below_(limit / kParts * kForPods) {}

std::uint64_t DescriptorShares::room() const {
  const std::uint64_t number = next();
  return number < prepare_below_ ? (prepare_below_ - number) / kPerPod : 0;
}

std::uint64_t DescriptorShares::next() {
  const base::Fd fd(::eventfd(0, EFD_CLOEXEC));
  return fd ? static_cast<std::uint64_t>(fd.get()) : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace evictd::daemon
