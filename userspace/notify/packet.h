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

/// One message as it came, with the descriptors that it carried.
struct Packet {
  std::array<std::byte, EVICTD_NOTIFY_MESSAGE_MAX> bytes{};
  std::size_t size = 0;
  std::vector<base::Fd> descriptors;
  /// It, or what it carried, was larger than a message may be.
  bool cut = false;

  /// The message as a `T`; nothing if its size is another one.
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
  kNothing,  ///< There is none now.
  kEnd,      ///< The peer has closed, or the socket has failed.
};

/// What is done with the descriptors that a message carries. None is left to the kernel to drop:
/// whoever receives would wait for its end as in a close().
enum class Descriptors {
  kTaken,
  /// They stay in the socket with the message, and the packet is cut: nothing more is to be
  /// received from there.
  kLeft,
};

/// Takes one message from a non-blocking SOCK_SEQPACKET socket. `packet` has no descriptors before.
[[nodiscard]] Received receive(int socket, Descriptors descriptors, Packet& packet);

/// Whether messages that wait in `socket` carry descriptors, maybe, whose end a close() of the
/// socket would wait for. It must be shut down, so that no more come; messages without are dropped.
[[nodiscard]] bool may_hold_descriptors(int socket);

}  // namespace evictd::notify
