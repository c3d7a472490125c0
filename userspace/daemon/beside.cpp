// SPDX-License-Identifier: Apache-2.0
#include "daemon/beside.h"

#include <system_error>
#include <utility>

#include "sys/thread_name.h"

namespace evictd::daemon {

namespace {

/// Starting a thread costs as much as opening one or two pods.
constexpr std::size_t kMany = 32;

}  // namespace

Beside::Beside(std::function<void()> work) : work_(std::move(work)) {
  try {
    thread_ = std::thread([this] {
      sys::name_thread("evictd-beside");
      work_();
    });
  } catch (const std::system_error&) {
    // No more threads are allowed: wait() does the work.
    thread_ = std::thread();
  }
}

void Beside::wait() {
  if (thread_.joinable()) {
    thread_.join();
  } else if (work_) {
    work_();
  }
  work_ = nullptr;
}

void for_each_below(std::size_t count, const std::function<void(std::size_t)>& work) {
  const auto part = [&work](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      work(i);
    }
  };
  if (count < kMany) {
    part(0, count);
    return;
  }
  const std::size_t half = count / 2;
  Beside second([&] { part(half, count); });
  part(0, half);
}

}  // namespace evictd::daemon
