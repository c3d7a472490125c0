// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::cri {

/// The gRPC layer of the runtime client: calls one method at a time, by name, on a runtime's
/// socket. Messages are plain bytes here.
/// | Thread rule: one thread calls; any other thread may call cancel().
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
    /// Used by call() only.
    Duration deadline{};
  };

  /// Connects at the first call.
  explicit Channel(const Options& options);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel();

  /// Returns the bytes of the answer. Blocks until the deadline at most.
  /// Errors: kUnsupported if the server lacks the method; kNotFound if the server reports it;
  /// kTimedOut; kBusy after cancel(); kExhausted if the answer is too long; kIo if no server
  /// listens and in all other cases.
  [[nodiscard]] Result<std::string> call(const Call& call);
  /// Calls a method that answers with a stream of messages. Passes each message to `on_message`
  /// until that returns false. Calls `on_sent` after sending the request. Blocks until the stream
  /// ends; there is no deadline. Succeeds if the server ended the stream. Errors: as call().
  [[nodiscard]] Result<> follow(const Call& call, const std::function<void()>& on_sent,
                                const std::function<bool(const std::string&)>& on_message);
  /// The call in progress and every later one fail at once.
  void cancel();

 private:
  struct Connection;
  class CallInProgress;
  std::unique_ptr<Connection> connection_;
};

}  // namespace evictd::cri
