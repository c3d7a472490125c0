// SPDX-License-Identifier: Apache-2.0
#include "web/listen_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/unix_socket.h"

namespace evictd::web {

namespace {

constexpr std::string_view kUnix = "unix:";
constexpr int kBacklog = 64;
constexpr mode_t kUnixMode = 0660;

Failure not_allowed(const std::string& text) {
  return fail(Errc::kInvalid, "\"" + text +
                                  "\": not allowed; allowed: ADDRESS:PORT as 127.0.0.1:9879 or "
                                  "[::1]:9879, or unix:PATH with an absolute path");
}

bool is_v6(const std::string& host) {
  return host.find(':') != std::string::npos;
}

Failure failed(const ListenAddress& address, const char* what) {
  const int error = errno;
  return fail_errno(
      error, std::string(what) + " " + address.host + " port " + std::to_string(address.port));
}

/// Fills `storage` and returns its size.
socklen_t to_sockaddr(const ListenAddress& address, sockaddr_storage& storage) {
  std::memset(&storage, 0, sizeof storage);
  if (is_v6(address.host)) {
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    ::inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr);
    std::memcpy(&storage, &v6, sizeof v6);
    return sizeof v6;
  }
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(address.port);
  ::inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr);
  std::memcpy(&storage, &v4, sizeof v4);
  return sizeof v4;
}

std::uint16_t port_of(int socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    return 0;
  }
  std::uint16_t port = 0;
  // Both kinds of address have the port at the same offset.
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  std::memcpy(&port, reinterpret_cast<const char*>(&bound) + offsetof(sockaddr_in, sin_port),
              sizeof port);
  return ntohs(port);
}

}  // namespace

Result<ListenAddress> parse_listen_address(const std::string& text) {
  ListenAddress address;
  if (text.starts_with(kUnix)) {
    address.unix_path = text.substr(kUnix.size());
    return address.unix_path.starts_with('/') ? Result<ListenAddress>(address) : not_allowed(text);
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) {
    return not_allowed(text);
  }
  std::string host = text.substr(0, colon);
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) {
    host = host.substr(1, host.size() - 2);
  }
  std::array<unsigned char, sizeof(in6_addr)> ignored{};
  if (bracketed != is_v6(host) ||
      ::inet_pton(bracketed ? AF_INET6 : AF_INET, host.c_str(), ignored.data()) != 1) {
    return not_allowed(text);
  }
  const char* const begin = text.data() + colon + 1;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, address.port);
  if (error != std::errc() || rest != end || begin == end) {
    return not_allowed(text);
  }
  address.host = std::move(host);
  return address;
}

Result<base::Fd> listen_at(const ListenAddress& address) {
  if (!address.unix_path.empty()) {
    return base::listen_unix(address.unix_path, kUnixMode);
  }
  const int family = is_v6(address.host) ? AF_INET6 : AF_INET;
  base::Fd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket.get() < 0) {
    return failed(address, "make a socket for");
  }
  const int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_storage storage{};
  const socklen_t size = to_sockaddr(address, storage);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&storage), size) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    return failed(address, "listen at");
  }
  return socket;
}

std::string shown_address(const ListenAddress& address, const base::Fd& listener, bool tls) {
  if (!address.unix_path.empty()) {
    return "unix:" + address.unix_path;
  }
  const std::string host = is_v6(address.host) ? "[" + address.host + "]" : address.host;
  return (tls ? "https://" : "http://") + host + ":" + std::to_string(port_of(listener.get())) +
         "/";
}

}  // namespace evictd::web
