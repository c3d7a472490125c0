// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/fd.h"

namespace evictd::test {

/// An end of a TCP connection whose close() waits until the other end is gone: there is more in it
/// than the other end takes, and it lingers.
class LingeringEnd {
 public:
  LingeringEnd() {
    const base::Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    end_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::bind(listener.get(), generic, size) != 0 || ::listen(listener.get(), 1) != 0 ||
        ::getsockname(listener.get(), generic, &size) != 0 ||
        ::connect(end_.get(), generic, size) != 0) {
      throw std::runtime_error("no TCP connection on the loopback device");
    }
    other_.reset(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const std::array<char, 65536> bytes{};
    while (::send(end_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
    }
    const linger long_time{.l_onoff = 1, .l_linger = 3600};
    ::setsockopt(end_.get(), SOL_SOCKET, SO_LINGER, &long_time, sizeof(long_time));
  }

  std::vector<base::Fd> take() {
    std::vector<base::Fd> one;
    one.push_back(std::move(end_));
    return one;
  }
  void let_go() { other_.reset(); }

 private:
  base::Fd end_;
  base::Fd other_;
};

}  // namespace evictd::test
