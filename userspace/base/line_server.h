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
  /// Returns the answer to one request; both are lines without a line end. `peer` is the client.
  virtual std::string on_line(std::string_view request, const PeerCredentials& peer) = 0;
  /// Accepts or declines a subscription. Returns whole lines, possibly none, that the new listener
  /// gets first; published lines follow, and on_line() is not called. Returns nullopt for any other
  /// request.
  virtual std::optional<std::string> on_subscription(std::string_view /*request*/) {
    return std::nullopt;
  }
  /// A client was turned away because `max_clients` are being served. The counter is already up to
  /// date.
  virtual void on_turned_away() {}
};

/// A unix socket on which each connection carries one request line and one answer line; the server
/// then closes it. The users of the class agreed on JSON.
///
/// No client can delay the loop or another client: sockets do not block, sizes are bounded, and a
/// client that is not finished within `client_timeout` is disconnected.
/// Thread rule: everything belongs to the thread that runs the loop.
class LineServer final : private ReadyHandler {
 public:
  struct Options {
    std::filesystem::path path;
    /// Permission bits of the socket file: they decide who may connect.
    mode_t mode = 0600;
    /// Clients served at a time; further clients are turned away. As many turned-away clients may
    /// still finish sending; any beyond that are closed at once.
    std::size_t max_clients = 16;
    /// Answer to a client that is turned away, without a line end; empty: no answer.
    std::string one_client_too_many_answer{};
    std::size_t max_request_bytes = std::size_t{64} * 1024;
    /// Answer to an oversized request, likewise.
    std::string oversized_answer{};
    /// Most listeners; further ones are turned away, so that requests always find room.
    std::size_t max_listeners = 8;
    /// Answer to a listener that is turned away, likewise.
    std::string one_listener_too_many_answer{};
    /// A listener with this many unread bytes is disconnected.
    std::size_t max_unread_bytes = std::size_t{16} * 1024 * 1024;
    /// From accept until the client has read the last byte.
    Duration client_timeout = std::chrono::seconds(5);
  };
  /// Outcomes of clients since the start.
  struct Counters {
    std::uint64_t served = 0;             ///< Received the whole answer.
    std::uint64_t refused = 0;            ///< Came while `max_clients` were being served.
    std::uint64_t refused_listeners = 0;  ///< Subscribed while there were `max_listeners`.
    std::uint64_t oversized = 0;  ///< Sent more than `max_request_bytes` without a line end.
    std::uint64_t timed_out = 0;  ///< Not finished within `client_timeout`; excludes the above.
    std::uint64_t aborted = 0;    ///< Closed early, or a system call failed.
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

  /// Sends `line`, without a line end, to all listeners. Never waits.
  void publish(std::string_view line);

  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] std::size_t client_count() const { return clients_.size(); }

 private:
  class Client;
  /// Handles the timer. The server itself handles the listening socket.
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
  /// Disconnects clients whose time is up, and resumes listening after a pause.
  void expire();
  void pause_listening();
  void arm_timer();
  void turn_away(std::unique_ptr<Client> client);
  [[nodiscard]] std::size_t listeners() const;
  [[nodiscard]] std::size_t turned_away() const;
  /// Destroys `client`; the caller must not use it afterwards.
  void drop(const Client& client);

  Options options_;
  EventLoop& loop_;
  const core::Clock& clock_;
  LineHandler& handler_;
  Timer timer_;
  Expiry expiry_{*this};
  Fd listener_;
  /// Set while no descriptors are left to accept with.
  std::optional<MonoTime> listen_again_at_;
  std::vector<std::unique_ptr<Client>> clients_;
  Counters counters_;
};

}  // namespace evictd::base
