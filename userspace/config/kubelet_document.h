// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "config/yaml_tree.h"

namespace evictd::config {

inline constexpr std::string_view kKubeletApiVersion = "kubelet.config.k8s.io/v1beta1";
inline constexpr std::string_view kKubeletKind = "KubeletConfiguration";

/// Reads one KubeletConfiguration, YAML or JSON. Checks every field by name and type, whether
/// evictd uses it or not. The tree is as in the file. A null field counts as absent, except that in
/// a drop-in file it takes the field back. Errors: those of parse_yaml(). kInvalid for a missing or
/// other kind or apiVersion, for a field that the schema lacks (with the nearest one that it has)
/// and for a value of another type.
[[nodiscard]] Result<YamlNode> read_kubelet_document(std::string_view text,
                                                     std::string_view filename);

}  // namespace evictd::config
