// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_loop.h"
#include "base/member_handler.h"
#include "base/timer.h"
#include "core/clock.h"
#include "evictd/result.h"
#include "kube/pod_source.h"
#include "kube/server_access.h"

namespace evictd::kube {

/// Receives the answer of an HttpClient.
class AnswerHandler {
 public:
  virtual ~AnswerHandler() = default;
  /// Stream only: the head of the answer came.
  virtual void on_head(int status) = 0;
  /// Stream with status 200 only: a piece of the body. Return false to cancel.
  virtual bool on_data(std::string_view piece) = 0;
  /// End of the answer; called exactly once. start() may be called inside it.
  virtual void on_end(const Answer& answer) = 0;
};

/// Sends one request at a time to one server, through libcurl, from an event loop. The loop never
/// waits for the server, the network or a resolver. It follows no redirect, uses no proxy, accepts
/// no compression, and bounds the size of answers. Each request carries its own credentials; a
/// connection made with other credentials is not reused.
/// Thread rule: everything belongs to the thread that runs the loop.
class HttpClient {
 public:
  /// `loop`, `clock` and `handler` are borrowed.
  [[nodiscard]] static Result<std::unique_ptr<HttpClient>> create(base::EventLoop& loop,
                                                                  const core::Clock& clock,
                                                                  AnswerHandler& handler);
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();

  /// Starts a request; none may be in progress. Errors: out of memory, as libcurl reports it;
  /// on_end() is then not called.
  [[nodiscard]] Result<> start(const Ask& ask, const Credentials& credentials);
  /// The same with the credentials that `find_access` leads to; adds to `credential_failures` if
  /// they cannot be read.
  [[nodiscard]] Result<> start(const Ask& ask, const FindAccess& find_access,
                               std::uint64_t& credential_failures);
  /// Cancels the request in progress: on_end() follows at once, with kTimedOut.
  void cancel(const std::string& why);

 private:
  class SocketHandler;
  class Transfer;

  HttpClient(base::EventLoop& loop, const core::Clock& clock, AnswerHandler& handler,
             base::Timer timer);
  [[nodiscard]] Result<> prepare();
  void on_timer();
  void on_socket(int fd, std::uint32_t events);
  void watch_socket(int fd, int what);
  void set_timer(long timeout_ms);
  void finish_transfer();

  static int socket_callback(void* easy, int fd, int what, void* client, void* socket);
  static int timer_callback(void* multi, long timeout_ms, void* client);

  base::EventLoop& loop_;
  const core::Clock& clock_;
  AnswerHandler& handler_;
  base::Timer timer_;
  /// A CURLM; libcurl's header is not included here.
  void* multi_ = nullptr;
  base::MemberHandler<HttpClient> timer_handler_{*this, &HttpClient::on_timer};
  std::map<int, std::unique_ptr<SocketHandler>> sockets_;
  /// Closed handlers whose functions may still be on the stack.
  std::vector<std::unique_ptr<SocketHandler>> unused_handlers_;
  std::unique_ptr<Transfer> transfer_;
};

}  // namespace evictd::kube
