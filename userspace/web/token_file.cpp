// SPDX-License-Identifier: Apache-2.0
#include "web/token_file.h"

#include <openssl/crypto.h>

#include <cerrno>
#include <fstream>

namespace evictd::web {

namespace {

constexpr std::size_t kShortestToken = 16;
constexpr std::string_view kScheme = "Bearer ";

}  // namespace

Result<std::string> TokenFile::read() const {
  errno = 0;
  std::ifstream file(path_);
  std::string token;
  if (!std::getline(file, token)) {
    return fail_errno(errno != 0 ? errno : EIO, "read the token file " + path_);
  }
  if (token.size() < kShortestToken) {
    return fail(Errc::kInvalid, path_ + ": a token has at least " + std::to_string(kShortestToken) +
                                    " characters, this one has " + std::to_string(token.size()));
  }
  return token;
}

Result<> TokenFile::check() const {
  if (path_.empty()) {
    return {};
  }
  const Result<std::string> token = read();
  return token ? Result<>() : Failure(token.error());
}

bool TokenFile::allows(std::string_view authorization) const {
  if (path_.empty()) {
    return true;
  }
  const Result<std::string> token = read();
  if (!token || !authorization.starts_with(kScheme)) {
    return false;
  }
  const std::string_view shown = authorization.substr(kScheme.size());
  return shown.size() == token->size() &&
         CRYPTO_memcmp(shown.data(), token->data(), shown.size()) == 0;
}

}  // namespace evictd::web
