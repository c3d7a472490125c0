// SPDX-License-Identifier: Apache-2.0
#include "notify_client/eventfd_name.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>

#include "base/read_up_to.h"

namespace evictd::notify_client {
namespace {

constexpr std::string_view kCountKey = "eventfd-count:";
constexpr std::string_view kIdKey = "eventfd-id:";
/// Several times the size of an eventfd's fdinfo.
constexpr std::size_t kInfoLimit = 4096;

/// As opposed to a /proc without that file.
bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/// The fdinfo of a descriptor. Errors: as open(2) and read(2).
Result<std::string> info_of(int number) {
  const std::string path = "/proc/thread-self/fdinfo/" + std::to_string(number);
  const base::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return fail_errno(errno, path);
  }
  return base::read_up_to(file.get(), kInfoLimit, path);
}

/// Errors: EBADF if it is no eventfd.
Result<EventFdName> parse(int number, const std::string& info) {
  EventFdName name{.number = number, .id = std::nullopt};
  bool is_eventfd = false;
  std::istringstream lines(info);
  for (std::string line; std::getline(lines, line);) {
    is_eventfd = is_eventfd || line.starts_with(kCountKey);
    if (line.starts_with(kIdKey)) {
      name.id = std::stoull(line.substr(kIdKey.size()));
    }
  }
  if (!is_eventfd) {
    return fail_errno(EBADF, "descriptor " + std::to_string(number) + " is not an eventfd");
  }
  return name;
}

}  // namespace

Result<EventFdName> name_eventfd(int number) {
  if (::fcntl(number, F_GETFD) < 0) {
    return fail_errno(errno, "descriptor " + std::to_string(number));
  }
  const Result<std::string> info = info_of(number);
  if (info) {
    return parse(number, *info);
  }
  if (is_shortage(info.error().sys_errno)) {
    return Failure(info.error());
  }
  return EventFdName{.number = number, .id = std::nullopt};
}

Result<base::Fd> hold_eventfd(const EventFdName& name) {
  // Duplicated first: the descriptor may be closed and reused at any time.
  base::Fd held(::fcntl(name.number, F_DUPFD_CLOEXEC, 3));
  if (!held) {
    return fail_errno(errno, "descriptor " + std::to_string(name.number));
  }
  const Result<std::string> info = info_of(held.get());
  if (!info) {
    return is_shortage(info.error().sys_errno) ? Failure(info.error())
                                               : fail_errno(EAGAIN, info.error().context);
  }
  const Result<EventFdName> now = parse(held.get(), *info);
  if (!now || now->id != name.id) {
    return fail_errno(EBADF, "descriptor " + std::to_string(name.number) + " was closed");
  }
  return held;
}

void add_one(int eventfd) {
  pollfd room{.fd = eventfd, .events = POLLOUT, .revents = 0};
  if (::poll(&room, 1, /*timeout=*/0) != 1 || (room.revents & POLLOUT) == 0) {
    return;
  }
  const std::uint64_t one = 1;
  while (::write(eventfd, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
}

}  // namespace evictd::notify_client
