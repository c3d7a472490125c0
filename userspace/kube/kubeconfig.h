// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "evictd/result.h"
#include "kube/server_access.h"

namespace evictd::kube {

/// The server and the credentials of one context of a kubeconfig. Relative paths in it start at
/// `file`'s directory. An empty `context` means current-context.
/// Errors name the file and, if known, line, key and value:
/// - those of config::parse_yaml();
/// - kInvalid for a missing context, cluster or user;
/// - kInvalid for unsupported authentication: exec, auth-provider, user name and password;
/// - kInvalid for tls-server-name, for proxy-url, and for malformed base64 data.
[[nodiscard]] Result<ServerAccess> access_of_kubeconfig(std::string_view text,
                                                        const std::filesystem::path& file,
                                                        const std::string& context);

/// Reads the file and does the same.
[[nodiscard]] Result<ServerAccess> read_kubeconfig(const std::filesystem::path& file,
                                                   const std::string& context);

/// The service account that Kubernetes gives each pod: address from the environment, token and CA
/// as files.
struct InCluster {
  std::function<std::optional<std::string>(const char*)> environment;
  std::string directory = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// Errors: kInvalid outside a cluster, or for a malformed address.
[[nodiscard]] Result<ServerAccess> access_in_cluster(const InCluster& cluster);

/// Errors: kMalformed.
[[nodiscard]] Result<std::string> decode_base64(std::string_view text);

}  // namespace evictd::kube
