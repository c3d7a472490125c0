// SPDX-License-Identifier: Apache-2.0
#include "demo/witness.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <utility>

#include "base/system_clock.h"

namespace evictd::demo {
namespace {

constexpr long kPeriodNs = 100'000;

/// Pages that each CPU may keep charged beyond what is used, twice over, and the cgroup's own
/// structures: below this above its rest, a pod is free.
constexpr Bytes kSlack = 1_MiB;

Bytes read_bytes(const base::Fd& fd) {
  std::array<char, 32> text{};
  const ssize_t got = ::pread(fd.get(), text.data(), text.size(), 0);
  std::int64_t value = 0;
  if (got > 0) {
    std::from_chars(text.data(), text.data() + got, value);
  }
  return Bytes{value};
}

Result<base::Fd> open_for_reading(const std::filesystem::path& path) {
  base::Fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd) {
    return fail_errno(errno, "open " + path.string());
  }
  return fd;
}

}  // namespace

struct Witness::Shared {
  base::Fd root;
  base::Fd hog;
  Bytes hog_at_rest;
  std::atomic<bool> dead = false;
  std::mutex mutex;
  std::condition_variable freed;
  Testimony testimony;

  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      look();
      const timespec pause{0, kPeriodNs};
      ::nanosleep(&pause, nullptr);
    }
  }

  void look() {
    const Bytes usage = read_bytes(root);
    const bool is_free = dead.load() && read_bytes(hog) <= hog_at_rest + kSlack;
    const std::lock_guard lock{mutex};
    testimony.highest = std::max(testimony.highest, usage);
    if (is_free && !testimony.freed) {
      testimony.freed = base::SystemClock{}.now();
      freed.notify_all();
    }
  }
};

Witness::Witness(std::shared_ptr<Shared> shared)
    : shared_(shared),
      thread_([shared = std::move(shared)](const std::stop_token& stop) { shared->watch(stop); }) {}

Result<Witness> Witness::start(const WitnessOptions& options) {
  Result<base::Fd> root = open_for_reading(options.root_usage);
  Result<base::Fd> hog = open_for_reading(options.hog_usage);
  if (!root || !hog) {
    return tl::unexpected(root ? hog.error() : root.error());
  }
  auto shared = std::make_shared<Shared>();
  shared->root = std::move(*root);
  shared->hog = std::move(*hog);
  shared->hog_at_rest = read_bytes(shared->hog);
  shared->testimony.at_start = read_bytes(shared->root);
  return Witness{std::move(shared)};
}

void Witness::hog_is_dead() {
  shared_->dead.store(true);
}

Testimony Witness::finish(Duration patience) {
  std::unique_lock lock{shared_->mutex};
  shared_->freed.wait_for(lock, patience, [this] { return shared_->testimony.freed.has_value(); });
  const Testimony testimony = shared_->testimony;
  lock.unlock();
  thread_.request_stop();
  thread_.join();
  return testimony;
}

}  // namespace evictd::demo
