// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::web {

/// Where evictd-web listens.
struct ListenAddress {
  std::string unix_path;   ///< "" for a network address.
  std::string host;        ///< An IPv4 or IPv6 address, without brackets.
  std::uint16_t port = 0;  ///< 0: any free one.
};

/// Parses "127.0.0.1:9879", "[::1]:9879", or "unix:/run/evictd-web/http.sock".
/// Errors: kInvalid with the allowed forms; host names are not allowed.
[[nodiscard]] Result<ListenAddress> parse_listen_address(const std::string& text);

/// A socket that listens there. A unix socket gets mode 0660.
/// Errors: kBusy if another process listens there, else as socket(2), bind(2) and listen(2).
[[nodiscard]] Result<base::Fd> listen_at(const ListenAddress& address);

/// The address of `listener`, for people: "http://127.0.0.1:9879/" or "unix:PATH".
[[nodiscard]] std::string shown_address(const ListenAddress& address, const base::Fd& listener,
                                        bool tls);

}  // namespace evictd::web
