// SPDX-License-Identifier: Apache-2.0
#include "web/tls.h"

#include <openssl/err.h>

#include <array>

namespace evictd::web {

namespace {

Failure refused(const std::string& file) {
  std::array<char, 256> reason{};
  ERR_error_string_n(ERR_get_error(), reason.data(), reason.size());
  ERR_clear_error();
  return fail(Errc::kInvalid, file + ": " + reason.data());
}

}  // namespace

Result<SslContext> make_tls(const std::string& certificate, const std::string& key) {
  SslContext context(SSL_CTX_new(TLS_server_method()));
  if (!context) {
    return refused("TLS");
  }
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE);
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate.c_str()) != 1) {
    return refused("--tls-cert: " + certificate);
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1) {
    return refused("--tls-key: " + key);
  }
  return context;
}

}  // namespace evictd::web
