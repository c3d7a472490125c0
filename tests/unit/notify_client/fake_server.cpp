// SPDX-License-Identifier: Apache-2.0
#include "fake_server.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "notify_client/eventfd_name.h"

namespace evictd::test {

struct FakeServer::Message {
  std::array<std::byte, EVICTD_NOTIFY_MESSAGE_MAX> bytes{};
  std::vector<base::Fd> attached;

  template <typename Request>
  [[nodiscard]] Request as() const {
    Request request{};
    std::memcpy(&request, bytes.data(), sizeof(request));
    return request;
  }
};

FakeServer::FakeServer(std::string path, Options options)
    : path_(std::move(path)), options_(options) {
  listener_.reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string hidden = path_ + ".new";
  std::memcpy(address.sun_path, hidden.data(), hidden.size());
  ::unlink(hidden.c_str());
  EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0)
      << std::strerror(errno);
  EXPECT_EQ(::listen(listener_.get(), 64), 0);
  thread_ = std::thread([this] { run(); });
  EXPECT_EQ(std::rename(hidden.c_str(), path_.c_str()), 0);
}

FakeServer::~FakeServer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  notify_client::add_one(wake_.get());
  thread_.join();
}

void FakeServer::fire() {
  const std::lock_guard lock(mutex_);
  for (const auto& [number, registration] : registrations_) {
    notify_client::add_one(registration.eventfd.get());
  }
}

void FakeServer::take_away(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto ended = registrations_.find(number);
  ASSERT_NE(ended, registrations_.end());
  const Registration last = std::move(ended->second);
  registrations_.erase(ended);
  notify_client::add_one(last.eventfd.get());
}

void FakeServer::behave(Manner manner, int refusal) {
  const std::lock_guard lock(mutex_);
  options_.manner = manner;
  options_.refusal = refusal;
}

void FakeServer::at_hello(std::function<void()> act) {
  const std::lock_guard lock(mutex_);
  at_hello_ = std::move(act);
}

void FakeServer::hang_up() {
  {
    const std::lock_guard lock(mutex_);
    hang_up_ = true;
  }
  notify_client::add_one(wake_.get());
}

void FakeServer::await_registrations(std::size_t count) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return registrations_.size() == count; });
}

std::size_t FakeServer::connections() {
  const std::lock_guard lock(mutex_);
  return accepted_;
}

std::size_t FakeServer::registrations() {
  const std::lock_guard lock(mutex_);
  return registrations_.size();
}

evictd_notify_register_request FakeServer::last_request() {
  const std::lock_guard lock(mutex_);
  return last_request_;
}

void FakeServer::run() {
  while (true) {
    std::vector<pollfd> waited{{.fd = wake_.get(), .events = POLLIN, .revents = 0},
                               {.fd = listener_.get(), .events = POLLIN, .revents = 0}};
    for (const Connection& connection : connections_) {
      waited.push_back({.fd = connection.socket.get(), .events = POLLIN, .revents = 0});
    }
    ::poll(waited.data(), waited.size(), /*timeout=*/-1);
    const std::lock_guard lock(mutex_);
    if (stop_) {
      return;
    }
    eventfd_t ignored = 0;
    ::eventfd_read(wake_.get(), &ignored);
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      const bool is_ready = waited[i + 2].revents != 0;
      if (hang_up_ || (is_ready && !serve(connections_[i]))) {
        connections_[i].ended = true;
        end(connections_[i].number);
      }
    }
    std::erase_if(connections_, [](const Connection& connection) { return connection.ended; });
    hang_up_ = false;
    if (waited[1].revents != 0) {
      accept_one();
    }
    changed_.notify_all();
  }
}

void FakeServer::accept_one() {
  base::Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  connections_.push_back({.socket = std::move(socket), .number = accepted_++, .ended = false});
}

void FakeServer::end(std::size_t connection) {
  std::erase_if(registrations_,
                [&](const auto& entry) { return entry.second.connection == connection; });
}

bool FakeServer::serve(const Connection& connection) {
  Message message;
  iovec piece{.iov_base = message.bytes.data(), .iov_len = message.bytes.size()};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(EVICTD_NOTIFY_FDS * sizeof(int))> control{};
  msghdr received{};
  received.msg_iov = &piece;
  received.msg_iovlen = 1;
  received.msg_control = control.data();
  received.msg_controllen = control.size();
  if (::recvmsg(connection.socket.get(), &received, MSG_CMSG_CLOEXEC) <= 0) {
    return false;
  }
  if (const cmsghdr* rights = CMSG_FIRSTHDR(&received); rights != nullptr) {
    std::array<int, EVICTD_NOTIFY_FDS> numbers{};
    std::memcpy(numbers.data(), CMSG_DATA(rights), rights->cmsg_len - CMSG_LEN(0));
    for (const int number : numbers) {
      message.attached.emplace_back(number);
    }
  }
  return answer(connection, message);
}

bool FakeServer::answer(const Connection& connection, Message& message) {
  if (options_.manner == Manner::kMute) {
    return true;
  }
  switch (message.as<evictd_notify_header>().type) {
    case EVICTD_NOTIFY_HELLO:
      return answer_hello(connection, message);
    case EVICTD_NOTIFY_REGISTER:
      answer_register(connection, message);
      return true;
    case EVICTD_NOTIFY_UNREGISTER:
      answer_unregister(connection, message);
      return true;
    case EVICTD_NOTIFY_LIST:
      answer_list(connection, message);
      return true;
    default:
      ADD_FAILURE() << "unknown request";
      return false;
  }
}

template <typename Reply>
void FakeServer::reply(const Connection& connection, const Message& message, Reply reply) {
  reply.header = message.as<evictd_notify_header>();
  reply.header.type |= EVICTD_NOTIFY_REPLY;
  if (options_.manner == Manner::kGarbled) {
    ++reply.header.request_id;
  }
  EXPECT_EQ(::send(connection.socket.get(), &reply, sizeof(reply), MSG_NOSIGNAL),
            static_cast<ssize_t>(sizeof(reply)));
}

bool FakeServer::answer_hello(const Connection& connection, const Message& message) {
  if (options_.manner == Manner::kHangsUp) {
    return false;
  }
  if (at_hello_) {
    at_hello_();
  }
  evictd_notify_hello_reply answer{};
  answer.error = options_.manner == Manner::kOtherVersion ? EPROTONOSUPPORT : 0;
  answer.version = EVICTD_NOTIFY_VERSION;
  answer.instance = options_.instance;
  answer.signals = (1U << EVICTD_NOTIFY_SIGNALS) - 1;
  answer.max_registrations = 1000;
  reply(connection, message, answer);
  return true;
}

void FakeServer::answer_register(const Connection& connection, Message& message) {
  evictd_notify_register_reply answer{};
  last_request_ = message.as<evictd_notify_register_request>();
  if (options_.manner == Manner::kForgetful) {
    answer.error = options_.refusal;
  } else if (message.attached.size() != EVICTD_NOTIFY_FDS) {
    answer.error = EBADF;
  } else {
    answer.registration = ++last_registration_;
    registrations_[answer.registration] = {.request = last_request_,
                                           .eventfd = std::move(message.attached[0]),
                                           .cgroup = std::move(message.attached[1]),
                                           .connection = connection.number};
  }
  reply(connection, message, answer);
}

void FakeServer::answer_unregister(const Connection& connection, const Message& message) {
  evictd_notify_unregister_reply answer{};
  const bool known =
      registrations_.erase(message.as<evictd_notify_unregister_request>().registration) == 1;
  answer.error = known ? 0 : ENOENT;
  reply(connection, message, answer);
}

void FakeServer::answer_list(const Connection& connection, const Message& message) {
  evictd_notify_list_reply answer{};
  const auto next = registrations_.upper_bound(message.as<evictd_notify_list>().after);
  if (next == registrations_.end()) {
    answer.error = ENOENT;
  } else {
    answer.registration = next->first;
    answer.side = EVICTD_NOTIFY_ABOVE;
    answer.value = 4096;
    answer.deliveries = 3;
  }
  reply(connection, message, answer);
}

}  // namespace evictd::test
