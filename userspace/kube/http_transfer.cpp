// SPDX-License-Identifier: Apache-2.0
#include "kube/http_transfer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "evictd/try.h"

namespace evictd::kube {

namespace {

constexpr long kOkStatus200 = 200;
constexpr long kConnectMs = 5'000;
/// Detects a dead peer within some 30 s, also during a silent watch.
constexpr long kKeepAliveIdleSeconds = 15;
constexpr long kKeepAliveIntervalSeconds = 5;
/// The pods of a full node have some 3 MiB, including the skipped parts.
constexpr std::size_t kLongestAnswer = std::size_t{32} << 20U;
/// Kept bytes of an error body.
constexpr std::size_t kLongestRefusal = std::size_t{16} << 10U;

/// Sets libcurl options and keeps the first error.
class Options {
 public:
  explicit Options(CURL* easy) : easy_(easy) {}

  template <typename T>
  void set(CURLoption option, T value) {
    if (code_ == CURLE_OK) {
      code_ = curl_easy_setopt(easy_, option, value);
    }
  }
  /// Passes a text in memory instead of a file.
  void set_blob(CURLoption option, const std::string& text) {
    curl_blob blob{.data = const_cast<char*>(text.data()),  // NOLINT: copied, never written.
                   .len = text.size(),
                   .flags = CURL_BLOB_COPY};
    set(option, &blob);
  }
  [[nodiscard]] Result<> result() const {
    return code_ == CURLE_OK
               ? Result<>()
               : fail(Errc::kIo, std::string("prepare a request: ") + curl_easy_strerror(code_));
  }

 private:
  CURL* easy_;
  CURLcode code_ = CURLE_OK;
};

const char* name_of(Ask::Method method) {
  switch (method) {
    case Ask::Method::kGet:
      return "GET";
    case Ask::Method::kPost:
      return "POST";
    case Ask::Method::kPatch:
      return "PATCH";
    case Ask::Method::kDelete:
      return "DELETE";
  }
  return "GET";
}

}  // namespace

Result<> HttpClient::Transfer::prepare(const Ask& ask, const Credentials& credentials) {
  easy_.reset(curl_easy_init());
  if (!easy_) {
    return fail(Errc::kExhausted, "prepare a request");
  }
  const std::string url = credentials.url + ask.path;
  headers_.reset(curl_slist_append(nullptr, "Accept: application/json"));
  if (!credentials.token.empty()) {
    const std::string line = "Authorization: Bearer " + credentials.token;
    curl_slist_append(headers_.get(), line.c_str());
  }
  if (ask.method != Ask::Method::kGet) {
    const std::string line = "Content-Type: " + ask.content_type;
    curl_slist_append(headers_.get(), line.c_str());
    // Waiting for "100 Continue" would cost a second.
    curl_slist_append(headers_.get(), "Expect:");
  }
  const auto limit_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(ask.time_limit).count();
  Options options(easy_.get());
  options.set(CURLOPT_URL, url.c_str());
  options.set(CURLOPT_PROTOCOLS_STR, "http,https");
  options.set(CURLOPT_PROXY, "");
  options.set(CURLOPT_FOLLOWLOCATION, 0L);
  options.set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  options.set(CURLOPT_HTTPHEADER, headers_.get());
  options.set(CURLOPT_USERAGENT, "evictd-kube");
  options.set(CURLOPT_NOSIGNAL, 1L);
  options.set(CURLOPT_QUICK_EXIT, 1L);
  options.set(CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  options.set(CURLOPT_TIMEOUT_MS, static_cast<long>(limit_ms));
  options.set(CURLOPT_TCP_KEEPALIVE, 1L);
  options.set(CURLOPT_TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  options.set(CURLOPT_TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  options.set(CURLOPT_ERRORBUFFER, error_text_.data());
  options.set(CURLOPT_HEADERFUNCTION, &header_callback);
  options.set(CURLOPT_HEADERDATA, this);
  options.set(CURLOPT_WRITEFUNCTION, &body_callback);
  options.set(CURLOPT_WRITEDATA, this);
  if (ask.method != Ask::Method::kGet) {
    options.set(CURLOPT_CUSTOMREQUEST, name_of(ask.method));
    options.set(CURLOPT_POSTFIELDSIZE, static_cast<long>(ask.body.size()));
    options.set(CURLOPT_COPYPOSTFIELDS, ask.body.c_str());
  }
  EVICTD_TRY(options.result());
  return set_tls(credentials);
}

Result<> HttpClient::Transfer::set_tls(const Credentials& credentials) {
  Options options(easy_.get());
  options.set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  // A resumed connection would use the previous certificate.
  options.set(CURLOPT_SSL_SESSIONID_CACHE, 0L);
  options.set(CURLOPT_CA_CACHE_TIMEOUT, 0L);
  options.set(CURLOPT_SSL_VERIFYPEER, credentials.insecure_skip_verify ? 0L : 1L);
  options.set(CURLOPT_SSL_VERIFYHOST, credentials.insecure_skip_verify ? 0L : 2L);
  if (!credentials.ca.empty()) {
    // Trust no CA of the system.
    options.set(CURLOPT_CAINFO, static_cast<const char*>(nullptr));
    options.set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
    options.set_blob(CURLOPT_CAINFO_BLOB, credentials.ca);
  }
  if (!credentials.certificate.empty()) {
    options.set_blob(CURLOPT_SSLCERT_BLOB, credentials.certificate);
    options.set_blob(CURLOPT_SSLKEY_BLOB, credentials.key);
  }
  return options.result();
}

std::size_t HttpClient::Transfer::header_callback(char* data, std::size_t size, std::size_t count,
                                                  void* self) {
  static_cast<Transfer*>(self)->on_header({data, size * count});
  return size * count;
}

void HttpClient::Transfer::on_header(std::string_view line) {
  if (form_ != Ask::Form::kStream || line != "\r\n") {
    return;
  }
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  handler_.on_head(static_cast<int>(status));
}

std::size_t HttpClient::Transfer::body_callback(char* data, std::size_t size, std::size_t count,
                                                void* self) {
  const std::size_t bytes = size * count;
  // Returning another number of bytes than received makes libcurl stop.
  return static_cast<Transfer*>(self)->take({data, bytes}) ? bytes : bytes + 1;
}

bool HttpClient::Transfer::take(std::string_view piece) {
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status != kOkStatus200 || is_change_) {
    body_ += piece.substr(0, kLongestRefusal - std::min(kLongestRefusal, body_.size()));
    return true;
  }
  if (form_ == Ask::Form::kStream) {
    return handler_.on_data(piece);
  }
  is_too_long_ = body_.size() + piece.size() > kLongestAnswer;
  if (!is_too_long_) {
    body_ += piece;
  }
  return !is_too_long_;
}

Answer HttpClient::Transfer::answer(CURLcode code) const {
  Answer answer;
  long status = 0;
  curl_off_t retry_after_seconds = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy_.get(), CURLINFO_RETRY_AFTER, &retry_after_seconds);
  constexpr curl_off_t kMostSeconds = 3600;
  answer.status = static_cast<int>(status);
  answer.retry_after =
      std::chrono::seconds(std::clamp<curl_off_t>(retry_after_seconds, 0, kMostSeconds));
  answer.body = body_;
  if (is_too_long_) {
    answer.error =
        Error{.code = Errc::kExhausted,
              .sys_errno = 0,
              .context = "an answer of more than " + std::to_string(kLongestAnswer) + " bytes"};
  } else if (code != CURLE_OK) {
    const std::string details = error_text_.data();
    answer.error =
        Error{.code = code == CURLE_OPERATION_TIMEDOUT ? Errc::kTimedOut : Errc::kIo,
              .sys_errno = 0,
              .context = details.empty() ? std::string(curl_easy_strerror(code)) : details};
  }
  return answer;
}

}  // namespace evictd::kube
