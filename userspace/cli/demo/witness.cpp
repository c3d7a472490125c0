// SPDX-License-Identifier: Apache-2.0
#include "demo/witness.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <utility>

#include "base/system_clock.h"
#include "evictd/try.h"

namespace evictd::demo {
namespace {

constexpr long kPeriodNs = 100'000;

/// Pages that each CPU may keep charged beyond what is used, twice over, and the cgroup's own
/// structures: below this above its rest, a pod is free.
constexpr Bytes kSlack = 1_MiB;

/// 0 without a file.
std::int64_t read_number(const base::Fd& fd) {
  std::array<char, 32> text{};
  const ssize_t got = fd ? ::pread(fd.get(), text.data(), text.size(), 0) : 0;
  std::int64_t value = 0;
  if (got > 0) {
    std::from_chars(text.data(), text.data() + got, value);
  }
  return value;
}

Bytes read_bytes(const base::Fd& fd) {
  return Bytes{read_number(fd)};
}

Result<base::Fd> open_for_reading(const std::filesystem::path& path) {
  base::Fd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd) {
    return fail_errno(errno, "open " + path.string());
  }
  return fd;
}

/// No descriptor for an empty path.
Result<base::Fd> open_if_named(const std::filesystem::path& path) {
  return path.empty() ? Result<base::Fd>{} : open_for_reading(path);
}

}  // namespace

struct Witness::Shared {
  base::Fd root;
  base::Fd hog;
  base::Fd root_tasks;
  base::Fd root_most_tasks;
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
    const bool was_dead = dead.load();
    const Bytes usage = read_bytes(root);
    const std::int64_t tasks = read_number(root_tasks);
    const bool is_free = was_dead && read_bytes(hog) <= hog_at_rest + kSlack;
    const std::lock_guard lock{mutex};
    testimony.highest = std::max(testimony.highest, usage);
    testimony.most_tasks = std::max(testimony.most_tasks, tasks);
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
  EVICTD_ASSIGN_OR_RETURN(base::Fd root, open_for_reading(options.root_usage));
  EVICTD_ASSIGN_OR_RETURN(base::Fd hog, open_for_reading(options.hog_usage));
  EVICTD_ASSIGN_OR_RETURN(base::Fd tasks, open_if_named(options.root_tasks));
  auto shared = std::make_shared<Shared>();
  shared->root = std::move(root);
  shared->hog = std::move(hog);
  shared->root_tasks = std::move(tasks);
  shared->root_most_tasks = open_if_named(options.root_most_tasks).value_or(base::Fd{});
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
  Testimony testimony = shared_->testimony;
  lock.unlock();
  // What came and went between two looks.
  testimony.most_tasks = std::max(testimony.most_tasks, read_number(shared_->root_most_tasks));
  thread_.request_stop();
  thread_.join();
  return testimony;
}

}  // namespace evictd::demo
