// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "evictd/result.h"
#include "web/http_server.h"

namespace evictd::web {

/// A TLS server context, version 1.2 or later, with a certificate chain and its key, both in PEM.
/// Errors: kInvalid, naming the file and OpenSSL's reason.
[[nodiscard]] Result<SslContext> make_tls(const std::string& certificate, const std::string& key);

}  // namespace evictd::web
