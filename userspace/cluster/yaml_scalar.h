// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace evictd::cluster {

/// Converts a YAML scalar to JSON. `tag` is yaml-cpp's: "?" for a plain scalar, "!" for a quoted
/// one. nullopt for a tag outside YAML's core schema, or one that `text` does not match. A plain
/// scalar is null, a boolean or a number only in a spelling of the core schema that YAML 1.1 reads
/// the same way; "010", ".inf" and "yes" are texts.
[[nodiscard]] std::optional<nlohmann::json> resolve_yaml_scalar(std::string_view tag,
                                                                const std::string& text);

}  // namespace evictd::cluster
