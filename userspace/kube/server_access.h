// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "evictd/result.h"

namespace evictd::kube {

/// Where a server is and how to talk to it, as configured: paths, or what they would have in them.
struct ServerAccess {
  /// "https://HOST:PORT", without a '/' at its end.
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

/// The same with everything read: texts in PEM, empty where there is none.
struct Credentials {
  std::string url;
  std::string ca{};
  bool insecure_skip_verify = false;
  std::string token{};
  std::string certificate{};
  std::string key{};
};

/// Reads the files that `access` names, as they are now.
/// Errors: those of reading, naming the file; kInvalid for a file without a text, a token of more
/// than printable characters, a certificate without its key or the other way round, and credentials
/// for a server that is not https.
[[nodiscard]] Result<Credentials> read_credentials(const ServerAccess& access);

/// How to reach the server, found anew for each question: a kubeconfig may be another one by then.
using FindAccess = std::function<Result<ServerAccess>()>;

/// What is wrong with the address of a server; empty if nothing is.
[[nodiscard]] std::string url_problem(std::string_view url);

}  // namespace evictd::kube
