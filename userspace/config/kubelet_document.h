// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "config/yaml_tree.h"

namespace evictd::config {

inline constexpr std::string_view kKubeletApiVersion = "kubelet.config.k8s.io/v1beta1";
inline constexpr std::string_view kKubeletKind = "KubeletConfiguration";

/// Reads one KubeletConfiguration, YAML or JSON, and judges every field of it by name and type,
/// whether evictd has a use for it or not. The tree is as the file has it; a field that is null is
/// the same as none, except that a drop-in file takes one back so.
/// Errors: those of parse_yaml(); kInvalid for another or no kind or apiVersion, for a field that
/// the schema does not have (with the nearest that it has) and for a value of another type.
[[nodiscard]] Result<YamlNode> read_kubelet_document(std::string_view text,
                                                     std::string_view filename);

}  // namespace evictd::config
