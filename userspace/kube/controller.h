// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "evictd/result.h"

namespace evictd::kube {

/// Who makes a pod anew when it is gone: the owner of a pod that is marked as its controller.
struct Controller {
  std::string api_version;
  std::string kind;
  /// That of the pod.
  std::string ns;
  std::string name;
  std::string uid;

  bool operator==(const Controller&) const = default;
};

/// Of a v1.Pod; nothing where it has none, where a node is it, as of a mirror pod, and where its
/// names are none that the API may have: an address is made of them. Pure.
[[nodiscard]] std::optional<Controller> controller_of(const nlohmann::json& pod);

[[nodiscard]] nlohmann::json to_json(const Controller& controller);
/// Reads what to_json() wrote. Errors: kMalformed for anything else, and for names as above.
[[nodiscard]] Result<Controller> controller_from_json(const nlohmann::json& json);

}  // namespace evictd::kube
