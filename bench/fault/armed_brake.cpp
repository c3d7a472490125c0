// SPDX-License-Identifier: Apache-2.0
#include "fault/armed_brake.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>

#include "base/fd.h"
#include "base/system_clock.h"
#include "evictd/try.h"
#include "probe/backstop.h"
#include "probe/watch.h"
#include "sys/cgroup_layout.h"
#include "sys/root.h"

namespace evictd::bench {
namespace {

constexpr std::uint32_t kPodRoot = 0;
constexpr std::uint32_t kVictim = 1;
constexpr std::uint32_t kRival = 2;
/// Longer than any block.
constexpr std::chrono::hours kArmedFor{1};
/// evictd's own default.
constexpr Bytes kHysteresis = 1_MiB;

/// A memory cgroup with its directory.
struct OpenCgroup {
  base::Fd directory;
  probe::PodCgroup cgroup;
};

Result<OpenCgroup> open_cgroup(std::uint32_t hierarchy, const std::filesystem::path& path) {
  OpenCgroup opened;
  opened.directory.reset(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status {};
  if (!opened.directory || ::fstat(opened.directory.get(), &status) != 0) {
    return fail_errno(errno, "open " + path.string());
  }
  opened.cgroup.memory = {.hierarchy = hierarchy, .id = status.st_ino};
  opened.cgroup.memory_fd = opened.directory.get();
  return opened;
}

/// Watches the cgroup at `path` in `slot`.
Result<OpenCgroup> watch(probe::Probe& kernel_side, std::uint32_t slot, std::uint32_t hierarchy,
                         const std::filesystem::path& path) {
  EVICTD_ASSIGN_OR_RETURN(OpenCgroup opened, open_cgroup(hierarchy, path));
  const Result<std::uint32_t> watched = kernel_side.watch(slot, opened.cgroup);
  if (!watched) {
    return tl::unexpected(watched.error());
  }
  return opened;
}

Result<> set_threshold(probe::Probe& kernel_side, const OpenCgroup& pod_root, Bytes level) {
  const std::array threshold = {
      probe::WatchedThreshold{.id = 1,
                              .signal = probe::Signal::kCgroupWorkingSet,
                              .cgroup = pod_root.cgroup.memory,
                              .cgroup_fd = pod_root.cgroup.memory_fd,
                              .value = static_cast<std::uint64_t>(level.value),
                              .hysteresis = static_cast<std::uint64_t>(kHysteresis.value)}};
  const auto gone = kernel_side.set_thresholds(threshold);
  return gone ? Result<>{} : tl::unexpected(gone.error());
}

}  // namespace

Result<ArmedBrake> ArmedBrake::arm(const BrakePlan& plan) {
  EVICTD_ASSIGN_OR_RETURN(const sys::Root root, sys::Root::open());
  EVICTD_ASSIGN_OR_RETURN(const sys::CgroupLayout layout, sys::CgroupLayout::detect(root));
  const std::uint32_t hierarchy = layout.memory().id;
  probe::Options options;
  options.backstop = true;
  EVICTD_ASSIGN_OR_RETURN(std::unique_ptr<probe::Probe> kernel_side, probe::Probe::load(options));
  if (kernel_side->backstop() == nullptr) {
    return fail(Errc::kUnsupported, "no hook of this kernel can kill");
  }
  const std::filesystem::path& memory = plan.tree.hierarchies().memory;
  EVICTD_ASSIGN_OR_RETURN(const OpenCgroup pod_root,
                          watch(*kernel_side, kPodRoot, hierarchy, plan.tree.memory_directory()));
  EVICTD_ASSIGN_OR_RETURN(const OpenCgroup victim,
                          watch(*kernel_side, kVictim, hierarchy, memory / plan.victim.pod));
  EVICTD_ASSIGN_OR_RETURN(const OpenCgroup rival,
                          watch(*kernel_side, kRival, hierarchy, memory / plan.rival.pod));
  EVICTD_TRY(set_threshold(*kernel_side, pod_root, plan.level));
  const std::array rivals = {
      probe::BackstopPod{.slot = kRival, .memory_id = rival.cgroup.memory.id}};
  const std::array processes = {plan.process};
  probe::BackstopOrder order;
  order.slot = kPodRoot;
  order.least_value = static_cast<std::uint64_t>(plan.level.value) + 1;
  order.most_value = std::numeric_limits<std::uint64_t>::max();
  order.victim = {.slot = kVictim, .memory_id = victim.cgroup.memory.id};
  order.rivals = rivals;
  order.processes = processes;
  order.expires_at = base::SystemClock{}.now() + kArmedFor;
  kernel_side->backstop()->arm(order);
  return ArmedBrake{std::move(kernel_side)};
}

}  // namespace evictd::bench
