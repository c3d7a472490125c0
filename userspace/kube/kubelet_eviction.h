// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "evictd/time.h"

namespace evictd::kube {

/// What the status of a pod tells of its eviction by a kubelet.
struct KubeletEviction {
  std::string ns{};
  std::string name{};
  std::string message{};
  /// When the condition DisruptionTarget was set, in whole seconds. Kubelets before 1.26 set none,
  /// nor does one that evicts for a limit on local storage.
  std::optional<WallTime> time{};
};

/// Of a v1.Pod that failed with the reason Evicted. Nothing for any other, also for one that a
/// kubelet did not admit under pressure, which has the same reason. Pure.
[[nodiscard]] std::optional<KubeletEviction> kubelet_eviction(const nlohmann::json& pod);

/// What a kubelet's message says, of Kubernetes 1.20 up to 1.32.
struct EvictionAmounts {
  /// "memory", "ephemeral-storage", "inodes" or "pids"; empty where it names none.
  std::string resource{};
  /// Kubelets before 1.26 do not say.
  std::optional<std::int64_t> available{};
  /// The sum over the containers that it names, which are those above their request.
  std::optional<std::int64_t> usage{};
};

[[nodiscard]] EvictionAmounts amounts_in(std::string_view message);

}  // namespace evictd::kube
