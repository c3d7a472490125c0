// SPDX-License-Identifier: Apache-2.0
#include "reference/watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "stage/text_file.h"

namespace evictd::bench {
namespace {

/// memory.stat of a v1 cgroup is smaller than 2 KiB.
constexpr std::size_t kLongestStat = 8192;
constexpr std::int64_t kPageBytes = 4096;

Result<base::Fd> open_kept(const std::filesystem::path& path) {
  base::Fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd) {
    return fail_errno(errno, "open " + path.string());
  }
  return fd;
}

}  // namespace

Watcher::Watcher(ConsumerOptions options, int channel, base::Fd usage, base::Fd stat)
    : options_(std::move(options)),
      channel_(channel),
      usage_(std::move(usage)),
      stat_(std::move(stat)) {}

Result<Watcher> Watcher::create(const ConsumerOptions& options, int channel) {
  Result<base::Fd> usage = open_kept(options.directory / options.usage_file);
  Result<base::Fd> stat = open_kept(options.directory / "memory.stat");
  if (!usage || !stat) {
    return tl::unexpected(usage ? stat.error() : usage.error());
  }
  return Watcher{options, channel, std::move(*usage), std::move(*stat)};
}

void Watcher::run() {
  if (options_.mechanism == Mechanism::kEventfd) {
    watch_by_eventfd();
  } else {
    watch_by_polling();
  }
}

bool Watcher::take_order() {
  ConsumerOrder order;
  if (::read(channel_, &order, sizeof(order)) != sizeof(order)) {
    closed_ = true;
    return false;
  }
  order_ = order;
  victim_.reset();
  if (order_.victim != 0) {
    victim_.reset(static_cast<int>(::syscall(SYS_pidfd_open, order_.victim, 0)));
  }
  return true;
}

void Watcher::acknowledge() const {
  const char done = 1;
  static_cast<void>(::write(channel_, &done, 1) < 0);
}

std::int64_t Watcher::inactive_file() const {
  std::array<char, kLongestStat> text{};
  const ssize_t got = ::pread(stat_.get(), text.data(), text.size() - 1, 0);
  if (got <= 0) {
    return 0;
  }
  // The subtree's value is total_inactive_file on v1, inactive_file on v2.
  const char* found = std::strstr(text.data(), "total_inactive_file ");
  if (found == nullptr) {
    found = std::strstr(text.data(), "inactive_file ");
  }
  return found == nullptr ? 0 : std::atoll(std::strchr(found, ' ') + 1);
}

std::int64_t Watcher::working_set() const {
  std::array<char, 32> text{};
  if (::pread(usage_.get(), text.data(), text.size() - 1, 0) <= 0) {
    return 0;
  }
  return std::atoll(text.data()) - inactive_file();
}

bool Watcher::kill_if_past() {
  if (!victim_ || working_set() <= order_.level_bytes) {
    return false;
  }
  ::syscall(SYS_pidfd_send_signal, victim_.get(), SIGKILL, nullptr, 0);
  victim_.reset();
  return true;
}

base::Fd Watcher::register_threshold(std::int64_t usage_bytes) const {
  base::Fd event{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  const std::string line = std::to_string(event.get()) + " " + std::to_string(usage_.get()) + " " +
                           std::to_string(usage_bytes);
  if (!stage::write_kernel_file(options_.directory / "cgroup.event_control", line)) {
    return {};
  }
  return event;
}

/// Registers once a trial, like the kubelet. The threshold is on usage, so inactive file is added
/// when it is set. It is set again if inactive file has moved so far that the level is not crossed
/// yet.
void Watcher::watch_by_eventfd() {
  while (take_order()) {
    if (order_.victim == 0) {
      acknowledge();
      continue;
    }
    acknowledge_once_ = true;
    while (!wait_past_threshold()) {
    }
  }
}

bool Watcher::wait_past_threshold() {
  // For the kernel, equality is a crossing; for evictd and the kubelet it is not.
  const base::Fd event = register_threshold(order_.level_bytes + inactive_file() + kPageBytes);
  if (std::exchange(acknowledge_once_, false)) {
    acknowledge();
  }
  if (kill_if_past()) {
    return true;
  }
  std::array<pollfd, 2> watched{{{event.get(), POLLIN, 0}, {channel_, POLLIN, 0}}};
  ::poll(watched.data(), watched.size(), -1);
  return watched[1].revents != 0 || kill_if_past();
}

/// The period runs freely, so that a trial starts at any point of it.
void Watcher::watch_by_polling() {
  const base::Fd timer{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)};
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(options_.period);
  const timespec period{static_cast<std::time_t>(seconds.count()),
                        static_cast<long>((options_.period - seconds).count())};
  const itimerspec schedule{period, period};
  ::timerfd_settime(timer.get(), 0, &schedule, nullptr);
  while (!closed_) {
    std::array<pollfd, 2> watched{{{timer.get(), POLLIN, 0}, {channel_, POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), -1);
    if (watched[0].revents != 0) {
      std::uint64_t expirations = 0;
      static_cast<void>(::read(timer.get(), &expirations, sizeof(expirations)) < 0);
      static_cast<void>(kill_if_past());
    }
    if (watched[1].revents != 0 && take_order()) {
      acknowledge();
    }
  }
}

}  // namespace evictd::bench
