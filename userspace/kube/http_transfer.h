// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <curl/curl.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "kube/http_client.h"

namespace evictd::kube {

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

/// One request and its answer.
class HttpClient::Transfer {
 public:
  Transfer(const Ask& ask, AnswerHandler& handler)
      : form_(ask.form), is_change_(ask.method != Ask::Method::kGet), handler_(handler) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() = default;

  [[nodiscard]] Result<> prepare(const Ask& ask, const Credentials& credentials);
  [[nodiscard]] CURL* easy() const { return easy_.get(); }
  /// The answer to report after libcurl finished with `code`.
  [[nodiscard]] Answer answer(CURLcode code) const;

 private:
  [[nodiscard]] Result<> set_tls(const Credentials& credentials);
  void on_header(std::string_view line);
  [[nodiscard]] bool take(std::string_view piece);

  static std::size_t header_callback(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t body_callback(char* data, std::size_t size, std::size_t count, void* self);

  Ask::Form form_;
  /// For a change, keeps only the beginning of the body: the returned object is not used.
  bool is_change_;
  AnswerHandler& handler_;
  std::unique_ptr<CURL, FreeEasy> easy_;
  std::unique_ptr<curl_slist, FreeList> headers_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  std::string body_;
  bool is_too_long_ = false;
};

}  // namespace evictd::kube
