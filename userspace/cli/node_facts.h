// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "config/config.h"
#include "config/node_facts.h"
#include "evictd/result.h"

namespace evictd::cli {

/// What the command line says of the node, as quantities; what is unset is looked up.
struct NodeFactOptions {
  std::optional<std::string> memory_capacity;
  std::optional<std::string> storage_capacity;
  /// Bytes a second.
  std::optional<std::string> pod_rate;
};

/// What is wrong with the text of one of them, empty if nothing: for the check of an option.
[[nodiscard]] std::string amount_problem(const std::string& text);

/// What is known of this machine under `config`: memory and the limit on tasks from the kernel
/// (tasks not where pid.available is measured against the pod root), storage from the filesystem
/// that holds the kubelet's directory (the root filesystem if there is no such directory), images
/// from the one of imagefsPath, else of the first of containerRuntimeRoots that exists, else from
/// that of storage, the growth of the pods from a running daemon, asked on its control socket. What
/// cannot be found is left out. A storage capacity that is given holds for imagefs too where both
/// are one filesystem. What evictd would wait for at its start is found as it finds it. Errors:
/// kInvalid for an option that is no quantity above 0.
[[nodiscard]] Result<config::NodeFacts> look_at_node(const NodeFactOptions& options,
                                                     const config::Config& config);

}  // namespace evictd::cli
