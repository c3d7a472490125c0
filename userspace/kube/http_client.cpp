// SPDX-License-Identifier: Apache-2.0
#include "kube/http_client.h"

#include <curl/curl.h>

#include <chrono>
#include <utility>

#include "evictd/try.h"
#include "kube/http_transfer.h"

namespace evictd::kube {

/// Handles one of libcurl's sockets.
class HttpClient::SocketHandler final : public base::ReadyHandler {
 public:
  SocketHandler(HttpClient& client, int fd) : client_(client), fd_(fd) {}
  void on_ready(std::uint32_t events) override { client_.on_socket(fd_, events); }

 private:
  HttpClient& client_;
  int fd_;
};

HttpClient::HttpClient(base::EventLoop& loop, const core::Clock& clock, AnswerHandler& handler,
                       base::Timer timer)
    : loop_(loop), clock_(clock), handler_(handler), timer_(std::move(timer)) {}

Result<std::unique_ptr<HttpClient>> HttpClient::create(base::EventLoop& loop,
                                                       const core::Clock& clock,
                                                       AnswerHandler& handler) {
  EVICTD_ASSIGN_OR_RETURN(base::Timer timer, base::Timer::create());
  // make_unique cannot call a private constructor.
  std::unique_ptr<HttpClient> client(new HttpClient(loop, clock, handler, std::move(timer)));
  EVICTD_TRY(client->prepare());
  return client;
}

Result<> HttpClient::prepare() {
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
    return fail(Errc::kIo, "start libcurl");
  }
  multi_ = curl_multi_init();
  if (multi_ == nullptr) {
    return fail(Errc::kExhausted, "start libcurl");
  }
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &socket_callback);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &timer_callback);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, 2L);
  return loop_.add(timer_.descriptor(), EPOLLIN, timer_handler_);
}

HttpClient::~HttpClient() {
  if (multi_ == nullptr) {
    return;
  }
  if (transfer_) {
    curl_multi_remove_handle(multi_, transfer_->easy());
    transfer_.reset();
  }
  curl_multi_cleanup(multi_);
  loop_.remove(timer_.descriptor(), timer_handler_);
}

Result<> HttpClient::start(const Ask& ask, const Credentials& credentials) {
  auto transfer = std::make_unique<Transfer>(ask, handler_);
  EVICTD_TRY(transfer->prepare(ask, credentials));
  if (curl_multi_add_handle(multi_, transfer->easy()) != CURLM_OK) {
    return fail(Errc::kExhausted, "start a request");
  }
  transfer_ = std::move(transfer);
  return {};
}

Result<> HttpClient::start(const Ask& ask, const FindAccess& find_access,
                           std::uint64_t& credential_failures) {
  const Result<Credentials> credentials = find_access().and_then(read_credentials);
  if (!credentials) {
    ++credential_failures;
    return Failure(credentials.error());
  }
  return start(ask, *credentials);
}

void HttpClient::cancel(const std::string& why) {
  if (!transfer_) {
    return;
  }
  const std::unique_ptr<Transfer> ended = std::move(transfer_);
  curl_multi_remove_handle(multi_, ended->easy());
  Answer answer = ended->answer(CURLE_OK);
  answer.error = Error{.code = Errc::kTimedOut, .sys_errno = 0, .context = why};
  handler_.on_end(answer);
}

int HttpClient::socket_callback(void* /*easy*/, int fd, int what, void* client, void* /*socket*/) {
  static_cast<HttpClient*>(client)->watch_socket(fd, what);
  return 0;
}

int HttpClient::timer_callback(void* /*multi*/, long timeout_ms, void* client) {
  static_cast<HttpClient*>(client)->set_timer(timeout_ms);
  return 0;
}

void HttpClient::watch_socket(int fd, int what) {
  if (const auto known = sockets_.find(fd); known != sockets_.end()) {
    loop_.remove(fd, *known->second);
    unused_handlers_.push_back(std::move(known->second));
    sockets_.erase(known);
  }
  if (what == CURL_POLL_REMOVE) {
    return;
  }
  const std::uint32_t events =
      ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
  auto handler = std::make_unique<SocketHandler>(*this, fd);
  // If epoll refuses the socket, the request ends at its time limit.
  if (loop_.add(fd, events, *handler)) {
    sockets_.emplace(fd, std::move(handler));
  }
}

void HttpClient::set_timer(long timeout_ms) {
  if (timeout_ms < 0) {
    timer_.disarm();
  } else {
    timer_.arm(clock_.now() + std::chrono::milliseconds(timeout_ms));
  }
}

void HttpClient::on_timer() {
  // None of them is on the stack here.
  unused_handlers_.clear();
  if (timer_.consume()) {
    on_socket(CURL_SOCKET_TIMEOUT, 0);
  }
}

void HttpClient::on_socket(int fd, std::uint32_t events) {
  int ready = 0;
  ready |= (events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0;
  ready |= (events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0;
  ready |= (events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0;
  int running = 0;
  curl_multi_socket_action(multi_, fd, ready, &running);
  finish_transfer();
}

void HttpClient::finish_transfer() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE || !transfer_ || message->easy_handle != transfer_->easy()) {
      continue;
    }
    const CURLcode code = message->data.result;
    const std::unique_ptr<Transfer> ended = std::move(transfer_);
    curl_multi_remove_handle(multi_, ended->easy());
    handler_.on_end(ended->answer(code));
    break;
  }
}

}  // namespace evictd::kube
