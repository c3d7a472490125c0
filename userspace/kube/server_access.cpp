// SPDX-License-Identifier: Apache-2.0
#include "kube/server_access.h"

#include <algorithm>

#include "config/file_text.h"
#include "evictd/try.h"

namespace evictd::kube {

namespace {

/// A bundle of a hundred CAs has 200 KiB.
constexpr std::size_t kLongestFile = std::size_t{1} << 20U;
constexpr std::string_view kSecure = "https://";
constexpr std::string_view kPlain = "http://";

/// The contents of `file`, or `data` if no file is named.
Result<std::string> text_of(const std::string& file, const std::string& data) {
  if (file.empty()) {
    return data;
  }
  EVICTD_ASSIGN_OR_RETURN(std::string text, config::read_file(file, kLongestFile));
  if (text.empty() || text.size() > kLongestFile) {
    return fail(Errc::kInvalid, file + ": " + (text.empty() ? "empty" : "too long"));
  }
  return text;
}

/// Removes a trailing line end. The token becomes part of a header.
Result<std::string> token_of(const ServerAccess& access) {
  EVICTD_ASSIGN_OR_RETURN(std::string token, text_of(access.token_file, access.token));
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) {
    token.pop_back();
  }
  const bool is_printable =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (!is_printable || (token.empty() && !access.token_file.empty())) {
    return fail(Errc::kInvalid,
                access.token_file + ": not a token; allowed: one line of printable characters");
  }
  return token;
}

}  // namespace

Result<Credentials> read_credentials(const ServerAccess& access) {
  Credentials read{.url = access.url, .insecure_skip_verify = access.insecure_skip_verify};
  EVICTD_ASSIGN_OR_RETURN(read.token, token_of(access));
  struct Part {
    const std::string& file;
    const std::string& data;
    std::string& text;
  };
  for (const Part& part : {Part{access.ca_file, access.ca_data, read.ca},
                           Part{access.certificate_file, access.certificate_data, read.certificate},
                           Part{access.key_file, access.key_data, read.key}}) {
    EVICTD_ASSIGN_OR_RETURN(part.text, text_of(part.file, part.data));
  }
  if (read.certificate.empty() != read.key.empty()) {
    return fail(Errc::kInvalid, "a client certificate without its key, or a key without one");
  }
  const bool has_secret = !read.token.empty() || !read.key.empty();
  if (has_secret && !read.url.starts_with(kSecure)) {
    return fail(Errc::kInvalid, read.url + ": credentials for a server that is not https");
  }
  return read;
}

std::string url_problem(std::string_view url) {
  constexpr const char* kAllowed =
      "https://HOST or https://HOST:PORT, and http:// without credentials";
  std::string_view rest = url;
  if (rest.starts_with(kSecure)) {
    rest.remove_prefix(kSecure.size());
  } else if (rest.starts_with(kPlain)) {
    rest.remove_prefix(kPlain.size());
  } else {
    return kAllowed;
  }
  const bool is_host = !rest.empty() && std::all_of(rest.begin(), rest.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view(".-_:[]").find(static_cast<char>(c)) != std::string_view::npos;
  });
  return is_host ? "" : kAllowed;
}

}  // namespace evictd::kube
