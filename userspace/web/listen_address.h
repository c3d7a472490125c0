// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::web {

/// Where evictd-web listens.
struct ListenAddress {
  std::string unix_path;   ///< "" for an address of the network.
  std::string host;        ///< An IPv4 or IPv6 address, without brackets.
  std::uint16_t port = 0;  ///< 0: any free one.
};

/// "127.0.0.1:9879", "[::1]:9879", or "unix:/run/evictd-web/http.sock".
/// Errors: kInvalid, saying what is allowed; names of hosts are not.
[[nodiscard]] Result<ListenAddress> parse_listen_address(const std::string& text);

/// A socket that listens there, for everybody who may reach it; a unix socket has mode 0660.
/// Errors: kBusy if somebody listens there, else as socket(2), bind(2) and listen(2).
[[nodiscard]] Result<base::Fd> listen_at(const ListenAddress& address);

/// Where `listener` listens, for people: "http://127.0.0.1:9879/" or "unix:PATH".
[[nodiscard]] std::string shown_address(const ListenAddress& address, const base::Fd& listener,
                                        bool tls);

}  // namespace evictd::web
