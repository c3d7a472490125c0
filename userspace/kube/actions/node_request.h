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

/// The parts of a v1.Node that are read.
struct NodeAnswer {
  std::string resource_version;
  /// All taints, complete: a patch replaces the list.
  nlohmann::json taints = nlohmann::json::array();
  nlohmann::json conditions = nlohmann::json::array();
};

/// Errors: those of read_shaped(); kInvalid if the body is no v1.Node of this name.
[[nodiscard]] Result<NodeAnswer> read_node(std::string_view body, const std::string& node);

[[nodiscard]] Ask get_node_request(const std::string& node);

/// The taints that the node should have: evictd's as the pressure demands, all others unchanged.
[[nodiscard]] nlohmann::json wanted_taints(const nlohmann::json& taints, const Pressure& pressure);
/// Applies only to the node as it was read: the server answers 409 if the node has changed since.
[[nodiscard]] Ask taint_request(const std::string& node, const NodeAnswer& read,
                                const nlohmann::json& taints);

/// Whether the node's conditions match the pressure.
[[nodiscard]] bool has_conditions(const NodeAnswer& read, const Pressure& pressure,
                                  NodeConditions which);
[[nodiscard]] Ask condition_request(const std::string& node, const Pressure& pressure,
                                    NodeConditions which, WallTime now);

}  // namespace evictd::kube
