// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "config/config.h"
#include "config/node_facts.h"
#include "evictd/result.h"

namespace evictd::cli {

/// Node properties from the command line, as quantities; unset ones are detected.
struct NodeFactOptions {
  std::optional<std::string> memory_capacity;
  std::optional<std::string> storage_capacity;
  /// Bytes per second.
  std::optional<std::string> pod_rate;
};

/// The error message for the text of an option; empty if it is valid.
[[nodiscard]] std::string amount_problem(const std::string& text);

/// The properties of this machine under `config`:
/// - memory and the task limit from the kernel, the latter not if pid.available is measured against
///   the pod root;
/// - storage from the filesystem with the kubelet's directory, or the root filesystem without that
///   directory;
/// - images from the filesystem of imagefsPath, else of the first existing containerRuntimeRoots,
///   else that of storage;
/// - the pods' growth from a running daemon, by its control socket.
/// Properties that cannot be found are omitted. A given storage capacity also applies to imagefs if
/// both are one filesystem. Things that evictd would wait for at its start are taken as they are.
/// Errors: kInvalid for an option that is no quantity above 0.
[[nodiscard]] Result<config::NodeFacts> look_at_node(const NodeFactOptions& options,
                                                     const config::Config& config);

}  // namespace evictd::cli
