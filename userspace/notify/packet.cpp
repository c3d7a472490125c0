// SPDX-License-Identifier: Apache-2.0
#include "notify/packet.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>

namespace evictd::notify {
namespace {

/// As many as the kernel allows in a message, so that none is dropped for lack of room.
/// Source: SCM_MAX_FD of net/scm.h.
constexpr std::size_t kMaxDescriptors = 253;
/// A message that exceeds its limit by more than this is not an off-by-one mistake.
constexpr std::size_t kTooManyDescriptors = EVICTD_NOTIFY_FDS + 2;
/// Messages that may_hold_descriptors() reads.
constexpr int kMostLooks = 64;

void take_descriptors(msghdr& header, std::vector<base::Fd>& descriptors) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      descriptors.emplace_back(fd);
    }
  }
}

/// As recvmsg() with `header`. A message with descriptors stays in the socket.
ssize_t receive_without_descriptors(int socket, msghdr& header) {
  const msghdr before = header;
  const ssize_t size = ::recvmsg(socket, &header, MSG_PEEK | MSG_DONTWAIT);
  if (size < 0 || (header.msg_flags & MSG_CTRUNC) != 0) {
    return size;
  }
  header = before;
  return ::recvmsg(socket, &header, MSG_DONTWAIT);
}

}  // namespace

Received receive(int socket, Descriptors descriptors, Packet& packet) {
  packet = Packet{};
  iovec room{.iov_base = packet.bytes.data(), .iov_len = packet.bytes.size()};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control{};
  msghdr header{};
  header.msg_iov = &room;
  header.msg_iovlen = 1;
  if (descriptors == Descriptors::kTaken) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
  const ssize_t size = descriptors == Descriptors::kTaken
                           ? ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT)
                           : receive_without_descriptors(socket, header);
  if (size < 0) {
    return errno == EAGAIN || errno == EINTR ? Received::kNothing : Received::kEnd;
  }
  take_descriptors(header, packet.descriptors);
  packet.size = static_cast<std::size_t>(size);
  packet.cut = (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 ||
               packet.descriptors.size() > kTooManyDescriptors;
  // An empty packet looks like the end; no message is empty.
  return size == 0 ? Received::kEnd : Received::kPacket;
}

bool may_hold_descriptors(int socket) {
  // With credentials an empty message can be told from the end.
  const int on = 1;
  if (::setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) != 0) {
    return true;
  }
  for (int i = 0; i < kMostLooks; ++i) {
    alignas(cmsghdr) std::array<std::byte, CMSG_LEN(sizeof(ucred))> control{};
    msghdr header{};
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    const ssize_t size = receive_without_descriptors(socket, header);
    if (size < 0 || header.msg_controllen == 0) {
      return false;
    }
    if ((header.msg_flags & MSG_CTRUNC) != 0) {
      return true;
    }
  }
  return true;
}

}  // namespace evictd::notify
