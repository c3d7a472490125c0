// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.h"
#include "evictd/abi/notify_wire.h"

namespace evictd::test {

/// A notification socket as evictd's, which fires when the test says so, and misbehaves likewise.
class FakeServer {
 public:
  struct Registration {
    evictd_notify_register_request request{};
    base::Fd eventfd;
    base::Fd cgroup;
    std::size_t connection = 0;  ///< Counted from 0 in the order of their coming.
  };
  enum class Manner {
    kProper,
    kMute,          ///< Reads and never answers.
    kForgetful,     ///< Refuses every registration with `refusal`.
    kGarbled,       ///< Answers with another request's number.
    kOtherVersion,  ///< Refuses the version.
    kHangsUp,       ///< Closes at the first word.
  };
  struct Options {
    Manner manner = Manner::kProper;
    int refusal = 0;
    std::uint64_t instance = 1;
  };

  /// Listens at `path` from the moment the file is there.
  FakeServer(std::string path, Options options);
  explicit FakeServer(std::string path) : FakeServer(std::move(path), Options()) {}
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;
  /// As if killed: all connections end, the file stays.
  ~FakeServer();

  /// Adds 1 to the eventfd of each registration.
  void fire();
  /// Ends a registration, counted from 1, as if its controller were taken away.
  void take_away(std::uint64_t number);
  void behave(Manner manner, int refusal = 0);
  /// Has `act` run before each HELLO is answered, in the server's thread: the client waits for it.
  void at_hello(std::function<void()> act);
  /// Ends every connection and goes on listening.
  void hang_up();

  /// Wait until it is so; the test's own time-out is the limit.
  void await_registrations(std::size_t count);
  [[nodiscard]] std::size_t connections();
  [[nodiscard]] std::size_t registrations();
  /// The last one.
  [[nodiscard]] evictd_notify_register_request last_request();

 private:
  struct Connection {
    base::Fd socket;
    std::size_t number = 0;
    bool ended = false;
  };
  struct Message;

  void run();
  void accept_one();
  /// False if the connection is over.
  [[nodiscard]] bool serve(const Connection& connection);
  [[nodiscard]] bool answer(const Connection& connection, Message& message);
  [[nodiscard]] bool answer_hello(const Connection& connection, const Message& message);
  void answer_register(const Connection& connection, Message& message);
  void answer_unregister(const Connection& connection, const Message& message);
  void answer_list(const Connection& connection, const Message& message);
  template <typename Reply>
  void reply(const Connection& connection, const Message& message, Reply reply);
  void end(std::size_t connection);

  const std::string path_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Options options_;
  std::function<void()> at_hello_;
  bool hang_up_ = false;
  bool stop_ = false;
  std::map<std::uint64_t, Registration> registrations_;
  std::uint64_t last_registration_ = 0;
  std::size_t accepted_ = 0;
  evictd_notify_register_request last_request_{};
  base::Fd listener_;
  base::Fd wake_;
  std::vector<Connection> connections_;  ///< The thread's.
  std::thread thread_;
};

}  // namespace evictd::test
