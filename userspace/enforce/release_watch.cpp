// SPDX-License-Identifier: Apache-2.0
#include "enforce/release_watch.h"

#include <sys/epoll.h>

#include <cerrno>
#include <utility>

namespace evictd::enforce {

namespace {

/// In epoll_event::data: set for a cgroup.events file of a slot, clear for an index of a process.
constexpr std::uint64_t kEventsFile = std::uint64_t{1} << 32;

bool add_to(int epoll, int fd, std::uint32_t events, std::uint64_t data) {
  epoll_event event{.events = events, .data = {.u64 = data}};
  return ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

Result<ReleaseWatch> ReleaseWatch::create(std::size_t capacity, std::size_t slots) {
  base::Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) {
    return fail_errno(errno, "create the epoll set of victims");
  }
  return ReleaseWatch(std::move(epoll), capacity, slots);
}

ReleaseWatch::ReleaseWatch(base::Fd epoll, std::size_t capacity, std::size_t slots)
    : epoll_(std::move(epoll)), processes_(capacity), counts_(slots) {
  free_.reserve(capacity);
  for (std::size_t i = capacity; i > 0; --i) {
    free_.push_back(static_cast<std::uint32_t>(i - 1));
  }
}

bool ReleaseWatch::add_process(std::uint32_t slot, base::Fd pidfd) {
  if (free_.empty() || !add_to(epoll_.get(), pidfd.get(), EPOLLIN, free_.back())) {
    return false;
  }
  processes_[free_.back()] = Process{.pidfd = std::move(pidfd), .slot = slot};
  free_.pop_back();
  ++counts_[slot];
  return true;
}

bool ReleaseWatch::add_events(std::uint32_t slot, int fd) {
  return fd >= 0 && add_to(epoll_.get(), fd, EPOLLPRI, kEventsFile | slot);
}

void ReleaseWatch::remove_events(int fd) {
  if (fd >= 0) {
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  }
}

void ReleaseWatch::remove_processes(std::uint32_t slot) {
  for (std::uint32_t i = 0; i < processes_.size() && counts_[slot] > 0; ++i) {
    if (processes_[i].pidfd && processes_[i].slot == slot) {
      forget(i);
    }
  }
}

std::optional<std::uint32_t> ReleaseWatch::take() {
  epoll_event event{};
  while (::epoll_wait(epoll_.get(), &event, 1, 0) == 1) {
    if ((event.data.u64 & kEventsFile) != 0) {
      return static_cast<std::uint32_t>(event.data.u64);
    }
    const auto index = static_cast<std::uint32_t>(event.data.u64);
    const std::uint32_t slot = processes_[index].slot;
    forget(index);
    if (counts_[slot] == 0) {
      return slot;
    }
  }
  return std::nullopt;
}

/// To close it is not enough: a program that another thread starts has copies of our descriptors
/// until it is executed. As long as there is a copy, the process stays in the set and is reported
/// again and again.
void ReleaseWatch::forget(std::uint32_t index) {
  Process& process = processes_[index];
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, process.pidfd.get(), nullptr);
  process.pidfd.reset();
  free_.push_back(index);
  --counts_[process.slot];
}

}  // namespace evictd::enforce
