// SPDX-License-Identifier: Apache-2.0
#include "harness/idle_pods.h"

#include <unistd.h>

#include <array>
#include <string>

#include "evictd/try.h"

namespace evictd::bench {
namespace {

constexpr std::array kClasses{stage::QosClass::kBestEffort, stage::QosClass::kBurstable,
                              stage::QosClass::kGuaranteed};

}  // namespace

Result<ForkedProcesses> start_idle_pods(stage::PrivateTree& tree, int count) {
  ForkedProcesses idle;
  for (int i = 0; i < count; ++i) {
    EVICTD_ASSIGN_OR_RETURN(
        const stage::StagedPod pod,
        tree.add_pod({.name = "idle-" + std::to_string(i),
                      .qos = kClasses[static_cast<std::size_t>(i) % kClasses.size()]}));
    EVICTD_ASSIGN_OR_RETURN(const pid_t pid, idle.add("an idle process", [] {
      for (;;) {
        ::pause();
      }
    }));
    EVICTD_TRY(tree.enter(pod, pid));
  }
  return idle;
}

}  // namespace evictd::bench
