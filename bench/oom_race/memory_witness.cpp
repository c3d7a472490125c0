// SPDX-License-Identifier: Apache-2.0
#include "oom_race/memory_witness.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "base/system_clock.h"

namespace evictd::bench {
namespace {

constexpr long kPeriodNs = 5'000'000;
/// Above evictd's own default: the witness must not wait for what it watches.
constexpr int kPriority = 20;

/// Bytes after `key`; 0 if it is missing.
std::int64_t bytes_after(const char* text, const char* key) {
  const char* found = std::strstr(text, key);
  return found == nullptr ? 0 : std::atoll(found + std::strlen(key)) * 1024;
}

}  // namespace

Result<> MemoryWitness::start(std::vector<Bytes> thresholds) {
  meminfo_.reset(::open("/proc/meminfo", O_RDONLY | O_CLOEXEC));
  timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  const itimerspec schedule{{0, kPeriodNs}, {0, kPeriodNs}};
  if (!meminfo_ || !timer_ || ::timerfd_settime(timer_.get(), 0, &schedule, nullptr) != 0) {
    return fail_errno(errno, "watch /proc/meminfo");
  }
  thresholds_ = std::move(thresholds);
  // Allocates everything now: the thread must not allocate while memory is short.
  seen_ = {Bytes{std::numeric_limits<std::int64_t>::max()}, std::nullopt,
           std::vector<std::optional<MonoTime>>(thresholds_.size())};
  ends_ = false;
  thread_ = std::thread{[this] { sample_until_stopped(); }};
  return {};
}

void MemoryWitness::sample_until_stopped() {
  const sched_param parameters{kPriority};
  static_cast<void>(::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters));
  while (!ends_) {
    look();
    std::uint64_t expirations = 0;
    static_cast<void>(::read(timer_.get(), &expirations, sizeof(expirations)) < 0);
  }
}

void MemoryWitness::look() {
  // MemTotal, MemFree and MemAvailable are its first lines.
  std::array<char, 256> text{};
  if (::pread(meminfo_.get(), text.data(), text.size() - 1, 0) <= 0) {
    return;
  }
  const Bytes available{bytes_after(text.data(), "MemAvailable:")};
  seen_.lowest_available = std::min(seen_.lowest_available, available);
  if (!seen_.short_since && available.value < bytes_after(text.data(), "MemTotal:") / 10) {
    seen_.short_since = base::SystemClock{}.now();
  }
  for (std::size_t i = 0; i < thresholds_.size(); ++i) {
    if (!seen_.crossed_at[i] && available < thresholds_[i]) {
      seen_.crossed_at[i] = base::SystemClock{}.now();
    }
  }
}

MemorySeen MemoryWitness::stop() {
  ends_ = true;
  if (thread_.joinable()) {
    thread_.join();
  }
  return seen_;
}

MemoryWitness::~MemoryWitness() {
  stop();
}

}  // namespace evictd::bench
