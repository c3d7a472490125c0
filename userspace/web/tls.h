// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "evictd/result.h"
#include "web/http_server.h"

namespace evictd::web {

/// What a server with TLS 1.2 or later presents: a certificate chain and its key, both in PEM.
/// Errors: kInvalid, naming the file and OpenSSL's reason.
[[nodiscard]] Result<SslContext> make_tls(const std::string& certificate, const std::string& key);

}  // namespace evictd::web
