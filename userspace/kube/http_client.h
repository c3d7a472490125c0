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

/// Who is told of the answer of an HttpClient.
class AnswerHandler {
 public:
  virtual ~AnswerHandler() = default;
  /// Of a stream: its head came.
  virtual void on_head(int status) = 0;
  /// Of a stream with status 200: a piece. False: break it off.
  virtual bool on_data(std::string_view piece) = 0;
  /// The end, always once. start() may be called in it.
  virtual void on_end(const Answer& answer) = 0;
};

/// One question at a time to one server, by libcurl, from an event loop: nothing that the server,
/// the network or a resolver does or leaves undone holds up the loop. No redirect is followed, no
/// proxy used, nothing compressed accepted, and answers are bounded. Each question uses the
/// credentials that it is given; a connection made with other ones is not used again.
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

  /// Begins a question; none may be in progress. Errors: out of memory, as libcurl says it;
  /// on_end() is then not called.
  [[nodiscard]] Result<> start(const Ask& ask, const Credentials& credentials);
  /// Breaks off what is in progress: on_end() follows at once, with kTimedOut.
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
  /// CURLM; its header stays out of ours.
  void* multi_ = nullptr;
  base::MemberHandler<HttpClient> timer_handler_{*this, &HttpClient::on_timer};
  std::map<int, std::unique_ptr<SocketHandler>> sockets_;
  /// Handlers that may still be on the stack.
  std::vector<std::unique_ptr<SocketHandler>> unused_handlers_;
  std::unique_ptr<Transfer> transfer_;
};

}  // namespace evictd::kube
