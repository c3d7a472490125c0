// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::cri {

/// The gRPC below the client: one method of a runtime's socket at a time, by name. Messages are
/// bytes here.
///
/// Thread rule: one thread calls; cancel() may be called by any other.
class Channel {
 public:
  struct Options {
    /// Path of the unix socket.
    std::string socket;
    /// A longer answer is an error, and is not read to its end.
    int max_answer_bytes = 16 << 20;
  };
  struct Call {
    /// "/runtime.v1.RuntimeService/Version".
    std::string method;
    std::string request;
    /// Of call().
    Duration deadline{};
  };

  /// Connects with the first call.
  explicit Channel(const Options& options);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();

  /// The bytes of the answer. Waits until its deadline at most.
  /// Errors: kUnsupported if the server does not have the method; kNotFound as the server says;
  /// kTimedOut; kBusy after cancel(); kExhausted for an answer that is too long; kIo if nobody
  /// listens and for all others.
  [[nodiscard]] Result<std::string> call(const Call& call);
  /// A method that answers with a stream of messages, each of which is given to `on_message` until
  /// that returns false. `on_sent` is called once the server was asked. Waits until the stream
  /// ends; there is no deadline. A success: the server ended it. Errors: as call().
  [[nodiscard]] Result<> follow(const Call& call, const std::function<void()>& on_sent,
                                const std::function<bool(const std::string&)>& on_message);
  /// The call under way ends at once, and so does every later one.
  void cancel();

 private:
  struct Connection;
  class UnderWay;
  std::unique_ptr<Connection> connection_;
};

}  // namespace evictd::cri
