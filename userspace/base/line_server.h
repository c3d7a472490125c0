// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_loop.h"
#include "base/timer.h"
#include "base/unix_socket.h"
#include "core/clock.h"

namespace evictd::base {

/// Answers the requests of a LineServer.
class LineHandler {
 public:
  virtual ~LineHandler() = default;
  /// The answer to one request line, both without a line end. `peer` is who asks.
  virtual std::string on_line(std::string_view request, const PeerCredentials& peer) = 0;
  /// What a request that asks to listen gets first, in whole lines, possibly none; every line that
  /// is published follows, and on_line() is not called. Nothing for any other request.
  virtual std::optional<std::string> on_subscription(std::string_view /*request*/) {
    return std::nullopt;
  }
  /// A client was turned away because `max_clients` are being served, which is counted already.
  virtual void on_turned_away() {}
};

/// A unix socket on which every connection carries one line of request and one line of answer (JSON
/// by agreement of its users), then is closed by the server.
///
/// Nothing that a client does or leaves undone holds up the loop or another client: sockets do not
/// block, sizes are bounded, and a client that is not through within `client_timeout` is cut off.
/// Thread rule: everything belongs to the thread that runs the loop.
class LineServer final : private ReadyHandler {
 public:
  struct Options {
    std::filesystem::path path;
    /// Permission bits of the socket file: who may ask at all.
    mode_t mode = 0600;
    /// One client more than this is turned away. As many that are may still send what they were
    /// about to; one more of those is closed at once.
    std::size_t max_clients = 16;
    /// What that one is told, without a line end; empty: nothing.
    std::string one_client_too_many_answer{};
    std::size_t max_request_bytes = std::size_t{64} * 1024;
    /// What the sender of a longer one is told, likewise.
    std::string oversized_answer{};
    /// Listeners; one more is turned away, so that there is always room for a question.
    std::size_t max_listeners = 8;
    /// What that one is told, likewise.
    std::string one_listener_too_many_answer{};
    /// A listener that leaves this much unread is cut off.
    std::size_t max_unread_bytes = std::size_t{16} * 1024 * 1024;
    /// From accept to the last byte taken by the client.
    Duration client_timeout = std::chrono::seconds(5);
  };
  /// What became of clients since the start.
  struct Counters {
    std::uint64_t served = 0;             ///< Took their whole answer.
    std::uint64_t refused = 0;            ///< Came while `max_clients` were being served.
    std::uint64_t refused_listeners = 0;  ///< Came to listen while `max_listeners` did.
    std::uint64_t oversized = 0;  ///< Sent more than `max_request_bytes` without a line end.
    std::uint64_t timed_out = 0;  ///< Were not through within `client_timeout`, others than these.
    std::uint64_t aborted = 0;    ///< Closed early or failed in a system call.
    std::uint64_t lagging = 0;    ///< Listeners that did not read.
  };

  /// Listens and serves from `loop`. Everything passed by reference must outlive the server.
  /// Errors: as listen_unix(), timerfd_create(2) and EventLoop::add().
  static Result<std::unique_ptr<LineServer>> create(Options options, EventLoop& loop,
                                                    const core::Clock& clock, LineHandler& handler);
  LineServer(const LineServer&) = delete;
  LineServer& operator=(const LineServer&) = delete;
  /// Closes every connection and removes the socket file.
  ~LineServer() override;

  /// Sends `line`, which has no line end, to all who listen. Never waits.
  void publish(std::string_view line);

  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] std::size_t client_count() const { return clients_.size(); }

 private:
  class Client;
  /// Hands the expiry of the timer to the server, which is itself the handler of the listener.
  class Expiry final : public ReadyHandler {
   public:
    explicit Expiry(LineServer& server) : server_(server) {}
    void on_ready(std::uint32_t events) override;

   private:
    LineServer& server_;
  };

  LineServer(Options options, EventLoop& loop, const core::Clock& clock, LineHandler& handler,
             Timer timer);
  Result<> listen();
  void on_ready(std::uint32_t events) override;
  void accept_one(Fd connection);
  /// Cuts off who is not through in time and listens again after a pause.
  void expire();
  void pause_listening();
  void arm_timer();
  void turn_away(std::unique_ptr<Client> client);
  [[nodiscard]] std::size_t listeners() const;
  [[nodiscard]] std::size_t turned_away() const;
  /// Destroys `client`, which must not be used after.
  void drop(const Client& client);

  Options options_;
  EventLoop& loop_;
  const core::Clock& clock_;
  LineHandler& handler_;
  Timer timer_;
  Expiry expiry_{*this};
  Fd listener_;
  /// Set while there are no descriptors to accept with.
  std::optional<MonoTime> listen_again_at_;
  std::vector<std::unique_ptr<Client>> clients_;
  Counters counters_;
};

}  // namespace evictd::base
