// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "evictd/result.h"

namespace evictd::kube {

/// A server's address and credentials, as configured: paths, or the contents of the files.
struct ServerAccess {
  /// "https://HOST:PORT", without a trailing '/'.
  std::string url;
  std::string ca_file{};
  std::string ca_data{};
  bool insecure_skip_verify = false;
  std::string token_file{};
  std::string token{};
  std::string certificate_file{};
  std::string certificate_data{};
  std::string key_file{};
  std::string key_data{};
};

/// The same with all files read: texts in PEM, empty if not configured.
struct Credentials {
  std::string url;
  std::string ca{};
  bool insecure_skip_verify = false;
  std::string token{};
  std::string certificate{};
  std::string key{};
};

/// Reads the files that `access` names.
/// Errors name the file: those of reading; kInvalid for an empty file and for a token with
/// unprintable characters. Also kInvalid for a certificate without its key, a key without its
/// certificate, and credentials for a server that is not https.
[[nodiscard]] Result<Credentials> read_credentials(const ServerAccess& access);

/// Finds the server for each request: a kubeconfig may have changed.
using FindAccess = std::function<Result<ServerAccess>()>;

/// The problem with a server's address; empty if there is none.
[[nodiscard]] std::string url_problem(std::string_view url);

}  // namespace evictd::kube
