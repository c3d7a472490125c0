// SPDX-License-Identifier: Apache-2.0
#include "fault/fault_meter.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <utility>
#include <vector>

#include "evictd/try.h"

namespace evictd::bench {
namespace {

constexpr std::int64_t kPageBytes = 4096;
/// Limits the turns, whose values are stored in memory that is mapped before the first one.
constexpr std::size_t kMostTurns = 10'000;

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

double one_turn(char* region) {
  const std::int64_t start = now_ns();
  for (std::int64_t offset = 0; offset < kMeterRegion.value; offset += kPageBytes) {
    // Volatile, or the compiler would remove the stores.
    *static_cast<volatile char*>(region + offset) = 1;
  }
  const std::int64_t spent = now_ns() - start;
  ::madvise(region, static_cast<std::size_t>(kMeterRegion.value), MADV_DONTNEED);
  return static_cast<double>(spent) * kPageBytes / static_cast<double>(kMeterRegion.value);
}

[[noreturn]] void run_meter(int channel) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);
  const auto bytes = static_cast<std::size_t>(kMeterRegion.value);
  void* region = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (region == MAP_FAILED || ::madvise(region, bytes, MADV_NOHUGEPAGE) != 0) {
    ::_exit(1);
  }
  std::vector<double> turns(kMostTurns, 0.0);
  for (int count = 0; ::read(channel, &count, sizeof(count)) == sizeof(count);) {
    const auto wanted = static_cast<std::size_t>(std::clamp(count, 1, 10'000));
    for (std::size_t i = 0; i < wanted; ++i) {
      turns[i] = one_turn(static_cast<char*>(region));
    }
    const auto middle = turns.begin() + static_cast<std::ptrdiff_t>(wanted / 2);
    std::nth_element(turns.begin(), middle, turns.begin() + static_cast<std::ptrdiff_t>(wanted));
    const double median = *middle;
    if (::write(channel, &median, sizeof(median)) != sizeof(median)) {
      break;
    }
  }
  ::_exit(0);
}

}  // namespace

FaultMeter::FaultMeter(pid_t pid, base::Fd channel) : pid_(pid), channel_(std::move(channel)) {}

FaultMeter::FaultMeter(FaultMeter&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), channel_(std::move(other.channel_)) {}

FaultMeter& FaultMeter::operator=(FaultMeter&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(channel_, other.channel_);
  return *this;
}

FaultMeter::~FaultMeter() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

Result<FaultMeter> FaultMeter::start(const stage::PrivateTree& tree, const stage::StagedPod& pod) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_errno(errno, "make a channel to the fault meter");
  }
  base::Fd ours{ends[0]};
  const base::Fd theirs{ends[1]};
  const pid_t pid = ::fork();
  if (pid < 0) {
    return fail_errno(errno, "fork the fault meter");
  }
  if (pid == 0) {
    ours.reset();
    run_meter(theirs.get());
  }
  FaultMeter meter{pid, std::move(ours)};
  EVICTD_TRY(tree.enter(pod, pid));
  return meter;
}

Result<double> FaultMeter::measure(int turns) {
  double median = 0;
  if (::write(channel_.get(), &turns, sizeof(turns)) != sizeof(turns) ||
      ::read(channel_.get(), &median, sizeof(median)) != sizeof(median)) {
    return fail(Errc::kIo, "the fault meter is gone");
  }
  return median;
}

}  // namespace evictd::bench
