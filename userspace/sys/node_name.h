// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace evictd::sys {

/// The name of a node whose machine is called `host_name`: without blanks at its ends, and in lower
/// case. Source: the kubelet's GetHostname, pkg/util/node/node.go.
[[nodiscard]] std::string node_name_from(std::string_view host_name);

/// The same of this machine; empty if it has no name. Source: gethostname(2).
[[nodiscard]] std::string node_name_here();

}  // namespace evictd::sys
