// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "evictd/result.h"
#include "evictd/time.h"
#include "kube/actions/pressure.h"
#include "kube/kube_config.h"
#include "kube/pod_source.h"

namespace evictd::kube {

/// What of a v1.Node is read.
struct NodeAnswer {
  std::string resource_version;
  /// All of them, whole: a patch replaces the list.
  nlohmann::json taints = nlohmann::json::array();
  nlohmann::json conditions = nlohmann::json::array();
};

/// Errors: those of read_shaped(); kInvalid for what is no v1.Node of this name.
[[nodiscard]] Result<NodeAnswer> read_node(std::string_view body, const std::string& node);

[[nodiscard]] Ask node_question(const std::string& node);

/// The taints that the node should have: ours as the pressure is, all others as they are.
[[nodiscard]] nlohmann::json wanted_taints(const nlohmann::json& taints, const Pressure& pressure);
/// Counts only for the node as it was read: the server refuses it (409) where it has changed since.
[[nodiscard]] Ask taint_request(const std::string& node, const NodeAnswer& read,
                                const nlohmann::json& taints);

/// Whether the node's conditions say what the pressure is.
[[nodiscard]] bool has_conditions(const NodeAnswer& read, const Pressure& pressure,
                                  NodeConditions which);
[[nodiscard]] Ask condition_request(const std::string& node, const Pressure& pressure,
                                    NodeConditions which, WallTime now);

}  // namespace evictd::kube
