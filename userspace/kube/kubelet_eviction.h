// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "evictd/time.h"

namespace evictd::kube {

/// An eviction by a kubelet, read from a pod's status or from an event.
struct KubeletEviction {
  std::string ns{};
  std::string name{};
  std::string message{};
  /// Time of the condition DisruptionTarget, or of the event, in whole seconds. Kubelets before
  /// 1.26 set no condition; neither does an eviction for a local storage limit.
  std::optional<WallTime> time{};
  /// "condition" or "event": the source of `time`.
  std::string_view time_source = "condition";
};

/// Reads a v1.Pod that failed with the reason Evicted. Returns nullopt for any other pod. Also
/// returns nullopt for a pod that a kubelet did not admit under pressure: it has the same reason.
/// Pure.
[[nodiscard]] std::optional<KubeletEviction> kubelet_eviction(const nlohmann::json& pod);

/// Whether a message with the reason Evicted describes an eviction. A pod that was not admitted
/// under pressure has the same reason.
[[nodiscard]] bool describes_eviction(std::string_view message);

/// The quantities in a kubelet's message; covers Kubernetes 1.20 to 1.32.
struct EvictionAmounts {
  /// "memory", "ephemeral-storage", "inodes" or "pids"; empty if the message names none.
  std::string resource{};
  /// nullopt for kubelets before 1.26, which do not report it.
  std::optional<std::int64_t> available{};
  /// Sum over the containers that the message names: those above their request.
  std::optional<std::int64_t> usage{};
};

[[nodiscard]] EvictionAmounts amounts_in(std::string_view message);

}  // namespace evictd::kube
