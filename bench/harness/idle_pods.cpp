// SPDX-License-Identifier: Apache-2.0
#include "harness/idle_pods.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>

#include "evictd/try.h"

namespace evictd::bench {
namespace {

constexpr std::array kClasses{stage::QosClass::kBestEffort, stage::QosClass::kBurstable,
                              stage::QosClass::kGuaranteed};
/// Of a container's id.
constexpr std::string_view kDigits = "0123456789abcdef";
static_assert(kDigits.size() == kMostContainers);

/// The pod with another container, whose id differs from the first one's in the last digit.
stage::StagedPod with_container(stage::StagedPod pod, std::size_t number) {
  std::string id = pod.container.filename();
  id.back() = kDigits[(kDigits.find(id.back()) + number) % kDigits.size()];
  pod.container = pod.pod / id;
  return pod;
}

Result<> make_container(const stage::PrivateTree& tree, const stage::StagedPod& pod) {
  for (const std::filesystem::path& directory : tree.directories_of(pod)) {
    if (::mkdir(directory.c_str(), 0755) != 0) {
      return fail_errno(errno, "make " + directory.string());
    }
  }
  return {};
}

Result<> add_process(const stage::PrivateTree& tree, const stage::StagedPod& pod,
                     ForkedProcesses& idle) {
  EVICTD_ASSIGN_OR_RETURN(const pid_t pid, idle.add("an idle process", [] {
    for (;;) {
      ::pause();
    }
  }));
  return tree.enter(pod, pid);
}

}  // namespace

Result<ForkedProcesses> start_idle_pods(stage::PrivateTree& tree, int count, int containers) {
  ForkedProcesses idle;
  for (int i = 0; i < count; ++i) {
    EVICTD_ASSIGN_OR_RETURN(
        const stage::StagedPod pod,
        tree.add_pod({.name = "idle-" + std::to_string(i),
                      .qos = kClasses[static_cast<std::size_t>(i) % kClasses.size()]}));
    EVICTD_TRY(add_process(tree, pod, idle));
    for (int number = 1; number < containers; ++number) {
      const stage::StagedPod further = with_container(pod, static_cast<std::size_t>(number));
      EVICTD_TRY(make_container(tree, further));
      EVICTD_TRY(add_process(tree, further, idle));
    }
  }
  return idle;
}

}  // namespace evictd::bench
