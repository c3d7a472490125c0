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

/// The server and the credentials of one context of a kubeconfig; paths in it are relative to
/// `file`'s directory. `context` empty: its current-context.
/// Errors, naming the file and, where there is one, line, key and value: those of
/// config::parse_yaml(); kInvalid for a context, cluster or user that is not there, for a way to
/// authenticate that evictd-kube does not have (exec, auth-provider, user name and password), for
/// tls-server-name and proxy-url, and for data that is no base64.
[[nodiscard]] Result<ServerAccess> access_of_kubeconfig(std::string_view text,
                                                        const std::filesystem::path& file,
                                                        const std::string& context);

/// The same of the file as it is now.
[[nodiscard]] Result<ServerAccess> read_kubeconfig(const std::filesystem::path& file,
                                                   const std::string& context);

/// What Kubernetes gives each pod: the address by the environment, token and authority as files.
struct InCluster {
  std::function<std::optional<std::string>(const char*)> environment;
  std::string directory = "/var/run/secrets/kubernetes.io/serviceaccount";
};

/// Errors: kInvalid outside a cluster, or for an address that is none.
[[nodiscard]] Result<ServerAccess> access_in_cluster(const InCluster& cluster);

/// Errors: kMalformed.
[[nodiscard]] Result<std::string> decode_base64(std::string_view text);

}  // namespace evictd::kube
