// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/fd.h"
#include "evictd/abi/notify_wire.h"

namespace evictd::notify {

/// One received message, with its descriptors.
struct Packet {
  std::array<std::byte, EVICTD_NOTIFY_MESSAGE_MAX> bytes{};
  std::size_t size = 0;
  std::vector<base::Fd> descriptors;
  /// The message, or what it carried, exceeds the limits of a message.
  bool cut = false;

  /// The message as a `T`; nullopt if its size differs.
  template <typename T>
  [[nodiscard]] std::optional<T> as() const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= EVICTD_NOTIFY_MESSAGE_MAX);
    if (size != sizeof(T)) {
      return std::nullopt;
    }
    T message{};
    std::memcpy(&message, bytes.data(), sizeof(T));
    return message;
  }
};

enum class Received {
  kPacket,
  kNothing,  ///< No message is available now.
  kEnd,      ///< The peer has closed, or the socket has failed.
};

/// What to do with the descriptors of a message. The kernel must not drop any: that is a close(),
/// and the receiver would wait for it.
enum class Descriptors {
  kTaken,
  /// They stay in the socket with the message, and the packet is cut: receive nothing more from
  /// this socket.
  kLeft,
};

/// Receives one message from a non-blocking SOCK_SEQPACKET socket. `packet` must have no
/// descriptors.
[[nodiscard]] Received receive(int socket, Descriptors descriptors, Packet& packet);

/// Whether messages in `socket` may carry descriptors; close() of the socket would wait for their
/// last close. The socket must be shut down, so that no more arrive. Drops messages without
/// descriptors.
[[nodiscard]] bool may_hold_descriptors(int socket);

}  // namespace evictd::notify
