// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>

#include "notify/packet.h"
#include "notify/service.h"

namespace evictd::notify {

/// Charges a user for one turn of requests, excluding time spent on signals for others.
class Service::Spending {
 public:
  Spending(Service& service, uid_t uid)
      : service_(service), uid_(uid), before_(service.engine_.clock().thread_cpu()) {
    static_cast<void>(service_.engine_.take_cpu_for_others());
  }
  Spending(const Spending&) = delete;
  Spending& operator=(const Spending&) = delete;
  ~Spending() {
    const Duration spent = service_.engine_.clock().thread_cpu() - before_;
    service_.budget_.pay(uid_, spent - service_.engine_.take_cpu_for_others());
  }

 private:
  Service& service_;
  uid_t uid_;
  Duration before_;
};

/// One client of a Service. For .cpp files of this folder only.
class Service::Connection final : public base::ReadyHandler {
 public:
  Connection(Service& service, base::Fd socket, base::PeerCredentials peer)
      : service_(service), socket_(std::move(socket)), peer_(peer) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() override;

  [[nodiscard]] Result<> watch() { return service_.loop_.add(socket_.get(), EPOLLIN, *this); }
  void unwatch() { service_.loop_.remove(socket_.get(), *this); }
  /// May destroy this object.
  void on_ready(std::uint32_t events) override;
  /// A registration of this client has ended by itself.
  void forget(RegistrationId id);
  [[nodiscard]] uid_t uid() const { return peer_.uid; }

 private:
  /// Whether the connection stays open.
  enum class Next { kKeepOpen, kClose };

  void take_requests();
  [[nodiscard]] Next serve(Packet& packet);
  [[nodiscard]] Next serve_greeted(evictd_notify_header header, Packet& packet);
  [[nodiscard]] Next hello(const Packet& packet);
  [[nodiscard]] Next add(Packet& packet);
  [[nodiscard]] Next remove(const Packet& packet);
  [[nodiscard]] Next list(const Packet& packet);
  [[nodiscard]] Next status(const Packet& packet);
  [[nodiscard]] Next refuse(const evictd_notify_header& header, int error, Next next);
  [[nodiscard]] Result<Listening> listen(const evictd_notify_register_request& wish,
                                         Packet& packet);
  template <typename Reply>
  [[nodiscard]] Next reply(const Reply& message, Next next = Next::kKeepOpen);

  Service& service_;
  base::Fd socket_;
  base::PeerCredentials peer_;
  bool greeted_ = false;
  std::set<RegistrationId> registrations_;
};

}  // namespace evictd::notify
