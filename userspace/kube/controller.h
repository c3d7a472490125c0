// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "evictd/result.h"

namespace evictd::kube {

/// The object that recreates a pod: the owner that is marked as the pod's controller.
struct Controller {
  std::string api_version;
  std::string kind;
  /// The pod's namespace.
  std::string ns;
  std::string name;
  std::string uid;

  bool operator==(const Controller&) const = default;
};

/// The controller of a v1.Pod. Returns nullopt if the pod has none, if the controller is a node
/// (mirror pods), or if its names are not valid in the API: they become part of a URL. Pure.
[[nodiscard]] std::optional<Controller> controller_of(const nlohmann::json& pod);

[[nodiscard]] nlohmann::json to_json(const Controller& controller);
/// Reads what to_json() wrote. Errors: kMalformed for anything else, and for invalid names as
/// above.
[[nodiscard]] Result<Controller> controller_from_json(const nlohmann::json& json);

}  // namespace evictd::kube
