// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace evictd::cluster {

/// What a YAML scalar stands for in JSON; `tag` as yaml-cpp gives it: "?" for a plain scalar, "!"
/// for a quoted one. nullopt for a tag that is not of YAML's core schema, or that `text` does not
/// fit. A plain scalar is null, a boolean or a number only in one of the core schema's spellings
/// that YAML 1.1 reads alike; "010", ".inf" and "yes" are texts.
[[nodiscard]] std::optional<nlohmann::json> resolve_yaml_scalar(std::string_view tag,
                                                                const std::string& text);

}  // namespace evictd::cluster
