// SPDX-License-Identifier: Apache-2.0
#include "notify/connection.h"

#include <sys/socket.h>

#include <cerrno>

#include "evictd/try.h"
#include "notify/descriptors.h"

namespace evictd::notify {
namespace {

/// Requests read per turn, so that a flooding client leaves the loop time for others.
constexpr int kRequestsPerTurn = 4;

evictd_notify_header reply_to(const evictd_notify_header& request) {
  return {.magic = EVICTD_NOTIFY_MAGIC,
          .type = request.type | EVICTD_NOTIFY_REPLY,
          .request_id = request.request_id};
}

/// The start of every reply.
struct PlainReply {
  evictd_notify_header header;
  __s32 error;
  __u32 pad;
};

int errno_of(const Error& error) {
  return error.sys_errno != 0 ? error.sys_errno : EIO;
}

/// The size of a reply to `type`; the smallest one for an unknown type.
std::size_t reply_size(std::uint32_t type) {
  switch (type) {
    case EVICTD_NOTIFY_HELLO:
      return sizeof(evictd_notify_hello_reply);
    case EVICTD_NOTIFY_REGISTER:
      return sizeof(evictd_notify_register_reply);
    case EVICTD_NOTIFY_LIST:
      return sizeof(evictd_notify_list_reply);
    case EVICTD_NOTIFY_STATUS:
      return sizeof(evictd_notify_status_reply);
    default:
      return sizeof(PlainReply);
  }
}

}  // namespace

Service::Connection::~Connection() {
  service_.loop_.remove(socket_.get(), *this);
  service_.close_socket(peer_.uid, std::move(socket_));
  const std::vector<RegistrationId> ids(registrations_.begin(), registrations_.end());
  service_.engine_.end(ids);
  for (const RegistrationId id : ids) {
    service_.owners_.erase(id);
  }
  const auto usage = service_.users_.find(peer_.uid);
  usage->second.registrations -= static_cast<std::uint32_t>(ids.size());
  if (--usage->second.connections == 0) {
    service_.users_.erase(usage);
  }
}

void Service::Connection::forget(RegistrationId id) {
  if (registrations_.erase(id) != 0) {
    --service_.users_[peer_.uid].registrations;
  }
}

template <typename Reply>
Service::Connection::Next Service::Connection::reply(const Reply& message, Next next) {
  const ssize_t sent =
      ::send(socket_.get(), &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
  // Disconnects a client that does not read its replies.
  return sent == static_cast<ssize_t>(sizeof(message)) ? next : Next::kClose;
}

Service::Connection::Next Service::Connection::refuse(const evictd_notify_header& header, int error,
                                                      Next next) {
  ++service_.counters_.refused;
  // The rest of the reply is zero, for any type.
  struct {
    PlainReply begin;
    std::array<std::byte, EVICTD_NOTIFY_MESSAGE_MAX - sizeof(PlainReply)> rest;
  } message{.begin = {.header = reply_to(header), .error = error, .pad = 0}, .rest = {}};
  const std::size_t size = reply_size(header.type);
  const ssize_t sent = ::send(socket_.get(), &message, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  return sent == static_cast<ssize_t>(size) ? next : Next::kClose;
}

void Service::Connection::on_ready(std::uint32_t /*events*/) {
  if (service_.may_read_requests(*this)) {
    const Spending spending(service_, peer_.uid);
    take_requests();
  }
}

void Service::Connection::take_requests() {
  for (int i = 0; i < kRequestsPerTurn; ++i) {
    Disposer& disposer = *service_.disposer_;
    Packet packet;
    const Received received =
        receive(socket_.get(),
                disposer.has_room(peer_.uid) ? Descriptors::kTaken : Descriptors::kLeft, packet);
    const bool expelled = received == Received::kPacket && serve(packet) == Next::kClose;
    disposer.dispose(peer_.uid, std::move(packet.descriptors));
    if (received == Received::kNothing) {
      return;
    }
    if (expelled || received == Received::kEnd) {
      service_.counters_.expelled += expelled ? 1 : 0;
      service_.drop(*this);
      return;
    }
  }
}

Service::Connection::Next Service::Connection::serve(Packet& packet) {
  evictd_notify_header header{};
  if (packet.size < sizeof(header)) {
    return Next::kClose;
  }
  std::memcpy(&header, packet.bytes.data(), sizeof(header));
  if (header.magic != EVICTD_NOTIFY_MAGIC) {
    return Next::kClose;
  }
  if (packet.cut || (header.type != EVICTD_NOTIFY_REGISTER && !packet.descriptors.empty())) {
    return refuse(header, EBADMSG, Next::kClose);
  }
  if (greeted_ == (header.type == EVICTD_NOTIFY_HELLO)) {
    return refuse(header, EPROTO, Next::kClose);
  }
  return greeted_ ? serve_greeted(header, packet) : hello(packet);
}

Service::Connection::Next Service::Connection::serve_greeted(evictd_notify_header header,
                                                             Packet& packet) {
  switch (header.type) {
    case EVICTD_NOTIFY_REGISTER:
      return packet.as<evictd_notify_register_request>() ? add(packet)
                                                         : refuse(header, EBADMSG, Next::kClose);
    case EVICTD_NOTIFY_UNREGISTER:
      return packet.as<evictd_notify_unregister_request>() ? remove(packet)
                                                           : refuse(header, EBADMSG, Next::kClose);
    case EVICTD_NOTIFY_LIST:
      return packet.as<evictd_notify_list>() ? list(packet) : refuse(header, EBADMSG, Next::kClose);
    case EVICTD_NOTIFY_STATUS:
      return packet.as<evictd_notify_status>() ? status(packet)
                                               : refuse(header, EBADMSG, Next::kClose);
    default:
      return refuse(header, ENOSYS, Next::kKeepOpen);
  }
}

Service::Connection::Next Service::Connection::hello(const Packet& packet) {
  const auto wish = packet.as<evictd_notify_hello>();
  if (!wish) {
    evictd_notify_header header{};
    std::memcpy(&header, packet.bytes.data(), sizeof(header));
    return refuse(header, EBADMSG, Next::kClose);
  }
  const UserLimits& limits = service_.limits_of(peer_.uid);
  evictd_notify_hello_reply answer{};
  answer.header = reply_to(wish->header);
  answer.version = EVICTD_NOTIFY_VERSION;
  answer.instance = service_.instance_;
  answer.backend = service_.engine_.backend();
  answer.signals = service_.engine_.signals();
  answer.max_registrations = limits.registrations;
  if (wish->version == 0) {
    answer.error = EPROTONOSUPPORT;
  } else if (wish->flags != 0) {
    answer.error = EINVAL;
  } else if (service_.users_[peer_.uid].connections > limits.connections) {
    answer.error = EUSERS;
  }
  greeted_ = answer.error == 0;
  service_.counters_.refused += greeted_ ? 0 : 1;
  return reply(answer, greeted_ ? Next::kKeepOpen : Next::kClose);
}

Result<Listening> Service::Connection::listen(const evictd_notify_register_request& wish,
                                              Packet& packet) {
  const std::optional<Terms> terms = terms_of(
      {.signal = wish.signal, .unit = wish.unit, .direction = wish.direction, .mode = wish.mode},
      wish.threshold, wish.hysteresis);
  if (wish.flags != 0 || !terms || check_terms(*terms) != 0) {
    return fail_errno(EINVAL, "terms");
  }
  if (packet.descriptors.size() != EVICTD_NOTIFY_FDS) {
    return fail_errno(EBADF, "descriptors");
  }
  const int directory = packet.descriptors[EVICTD_NOTIFY_FD_CGROUP].get();
  if (const int problem = check_directory(directory); problem != 0) {
    return fail_errno(problem, "directory");
  }
  // Before the eventfd is taken out of the packet: the packet's remaining descriptors are closed
  // safely.
  if (!is_eventfd(packet.descriptors[EVICTD_NOTIFY_FD_EVENT].get())) {
    return fail_errno(EBADF, "eventfd");
  }
  EVICTD_ASSIGN_OR_RETURN(const Reader reader, reader_of(socket_.get(), peer_));
  if (const int problem = check_readable(directory, terms->signal, reader); problem != 0) {
    return fail_errno(problem, "directory");
  }
  if (const int problem = service_.check_room(peer_.uid); problem != 0) {
    return fail_errno(problem, "registrations");
  }
  return service_.engine_.listen(
      {.terms = *terms,
       .eventfd = std::move(packet.descriptors[EVICTD_NOTIFY_FD_EVENT]),
       .directory = std::move(packet.descriptors[EVICTD_NOTIFY_FD_CGROUP]),
       .pid = peer_.pid,
       // A process outside this PID namespace has pid 0, which means this process to the Engine.
       .number = peer_.pid > 0 ? wish.eventfd : -1,
       .owner = peer_.uid});
}

Service::Connection::Next Service::Connection::add(Packet& packet) {
  const auto wish =
      packet.as<evictd_notify_register_request>().value_or(evictd_notify_register_request{});
  const Result<Listening> listening = listen(wish, packet);
  if (listening) {
    registrations_.insert(listening->id);
    service_.owners_[listening->id] = this;
    ++service_.users_[peer_.uid].registrations;
  }
  service_.forget_ended();
  if (!listening) {
    return refuse(wish.header, errno_of(listening.error()), Next::kKeepOpen);
  }
  evictd_notify_register_reply answer{};
  answer.header = reply_to(wish.header);
  answer.side = listening->side;
  answer.registration = listening->id;
  answer.value = listening->value;
  return reply(answer);
}

Service::Connection::Next Service::Connection::remove(const Packet& packet) {
  const auto wish =
      packet.as<evictd_notify_unregister_request>().value_or(evictd_notify_unregister_request{});
  const std::array<RegistrationId, 1> ids{wish.registration};
  if (!registrations_.contains(ids[0])) {
    return refuse(wish.header, ENOENT, Next::kKeepOpen);
  }
  service_.engine_.end(ids);
  forget(ids[0]);
  service_.owners_.erase(ids[0]);
  service_.forget_ended();
  evictd_notify_unregister_reply answer{};
  answer.header = reply_to(wish.header);
  return reply(answer);
}

Service::Connection::Next Service::Connection::list(const Packet& packet) {
  const auto wish = packet.as<evictd_notify_list>().value_or(evictd_notify_list{});
  std::optional<Listening> found;
  // Skips a registration that has just ended by itself: others may follow.
  for (auto next = registrations_.upper_bound(wish.after); !found && next != registrations_.end();
       ++next) {
    found = service_.engine_.query(*next);
  }
  if (!found) {
    return refuse(wish.header, ENOENT, Next::kKeepOpen);
  }
  evictd_notify_list_reply answer{};
  answer.header = reply_to(wish.header);
  answer.side = found->side;
  answer.registration = found->id;
  answer.cgroup = found->cgroup.id;
  answer.signal = found->terms.signal;
  answer.unit = found->terms.unit;
  answer.direction = found->terms.direction;
  answer.mode = found->terms.mode;
  answer.threshold = found->terms.threshold;
  answer.hysteresis = found->terms.hysteresis;
  answer.value = found->value;
  answer.deliveries = found->deliveries;
  return reply(answer);
}

Service::Connection::Next Service::Connection::status(const Packet& packet) {
  const auto wish = packet.as<evictd_notify_status>().value_or(evictd_notify_status{});
  const EngineCounters counters = service_.engine_.counters();
  evictd_notify_status_reply answer{};
  answer.header = reply_to(wish.header);
  answer.backend = service_.engine_.backend();
  answer.connections = static_cast<std::uint32_t>(service_.connections_.size());
  answer.registrations = static_cast<std::uint32_t>(counters.registrations);
  answer.deliveries = counters.deliveries;
  answer.uid_registrations = service_.users_[peer_.uid].registrations;
  answer.max_registrations = service_.limits_of(peer_.uid).registrations;
  answer.resyncs = counters.backend.resyncs;
  answer.refused = service_.counters_.refused;
  return reply(answer);
}

}  // namespace evictd::notify
