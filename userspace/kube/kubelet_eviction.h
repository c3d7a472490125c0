// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "evictd/time.h"

namespace evictd::kube {

/// What the status of a pod, or an event, tells of its eviction by a kubelet.
struct KubeletEviction {
  std::string ns{};
  std::string name{};
  std::string message{};
  /// When the condition DisruptionTarget was set, or the event was, in whole seconds. Kubelets
  /// before 1.26 set no condition, nor does one that evicts for a limit on local storage.
  std::optional<WallTime> time{};
  /// "condition" or "event": whence `time` is.
  std::string_view time_source = "condition";
};

/// Of a v1.Pod that failed with the reason Evicted. Nothing for any other, also for one that a
/// kubelet did not admit under pressure, which has the same reason. Pure.
[[nodiscard]] std::optional<KubeletEviction> kubelet_eviction(const nlohmann::json& pod);

/// Whether a message with the reason Evicted is of an eviction: a pod that was not admitted under
/// pressure has the same reason.
[[nodiscard]] bool tells_of_eviction(std::string_view message);

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
