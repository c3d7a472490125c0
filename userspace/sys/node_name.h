// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace evictd::sys {

/// The node name for a machine's `host_name`: trimmed and in lower case. Source: the kubelet's
/// GetHostname, pkg/util/node/node.go.
[[nodiscard]] std::string node_name_from(std::string_view host_name);

/// The node name of this machine; empty if it has no name. Source: gethostname(2).
[[nodiscard]] std::string node_name_here();

}  // namespace evictd::sys
