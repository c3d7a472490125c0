// SPDX-License-Identifier: Apache-2.0
#include "notify/reader.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>

#include "evictd/try.h"
#include "notify/listening.h"

namespace evictd::bench {

Result<std::unique_ptr<Reader>> Reader::start(bool realtime) {
  base::Fd eventfd{::eventfd(0, EFD_CLOEXEC)};
  if (!eventfd) {
    return fail_errno(errno, "make an eventfd");
  }
  EVICTD_ASSIGN_OR_RETURN(const RealtimeScope scope, RealtimeScope::enter(realtime));
  std::unique_ptr<Reader> reader{new Reader{std::move(eventfd)}};
  try {
    reader->thread_ = std::thread{[self = reader.get()] { self->run(); }};
  } catch (const std::system_error& failed) {
    return fail_errno(failed.code().value(), "start a thread");
  }
  return reader;
}

Reader::~Reader() {
  stop_ = true;
  ::eventfd_write(eventfd_.get(), 1);
  if (thread_.joinable()) {
    thread_.join();
  }
}

void Reader::run() {
  eventfd_t count = 0;
  while (::eventfd_read(eventfd_.get(), &count) == 0) {
    const MonoTime now{std::chrono::steady_clock::now().time_since_epoch()};
    if (stop_) {
      return;
    }
    {
      const std::lock_guard lock{mutex_};
      if (!first_) {
        first_ = now;
      }
    }
    woken_.notify_all();
  }
}

void Reader::forget() {
  const std::lock_guard lock{mutex_};
  first_.reset();
}

std::optional<MonoTime> Reader::first(Duration timeout) {
  std::unique_lock lock{mutex_};
  woken_.wait_for(lock, timeout, [this] { return first_.has_value(); });
  return first_;
}

}  // namespace evictd::bench
