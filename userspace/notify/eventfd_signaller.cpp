// SPDX-License-Identifier: Apache-2.0
#include "notify/eventfd_signaller.h"

#include <linux/aio_abi.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace evictd::notify {
namespace {

/// The requests of one call.
constexpr std::size_t kBatch = 128;

}  // namespace

struct EventfdSignaller::Requests {
  std::array<iocb, kBatch> all{};
  std::array<iocb*, kBatch> pointers{};
  std::array<io_event, kBatch> done{};
};

EventfdSignaller::EventfdSignaller(unsigned long context, base::Fd ready)
    : context_(context), ready_(std::move(ready)), requests_(std::make_unique<Requests>()) {
  for (std::size_t i = 0; i < kBatch; ++i) {
    iocb& request = requests_->all.at(i);
    request.aio_lio_opcode = IOCB_CMD_POLL;
    request.aio_fildes = static_cast<std::uint32_t>(ready_.get());
    request.aio_buf = POLLIN;
    request.aio_flags = IOCB_FLAG_RESFD;
    requests_->pointers.at(i) = &request;
  }
}

EventfdSignaller::EventfdSignaller(EventfdSignaller&& other) noexcept
    : context_(std::exchange(other.context_, 0)),
      ready_(std::move(other.ready_)),
      requests_(std::move(other.requests_)) {}

EventfdSignaller::~EventfdSignaller() {
  if (context_ != 0) {
    ::syscall(SYS_io_destroy, context_);
  }
}

Result<EventfdSignaller> EventfdSignaller::create() {
  base::Fd ready(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!ready) {
    return fail_errno(errno, "make an eventfd");
  }
  aio_context_t context = 0;
  if (::syscall(SYS_io_setup, kBatch, &context) != 0) {
    const int error = errno;
    return fail_errno(error, refusal(error));
  }
  return EventfdSignaller(context, std::move(ready));
}

std::string EventfdSignaller::refusal(int sys_errno) {
  std::string what = "set up asynchronous I/O, by which eventfds are signalled";
  if (sys_errno == EAGAIN) {
    what += " (the limit of the sysctl fs.aio-max-nr is used up on this machine: raise it)";
  }
  return what;
}

void EventfdSignaller::reap() {
  timespec at_once{};
  ::syscall(SYS_io_getevents, context_, 0L, static_cast<long>(kBatch), requests_->done.data(),
            &at_once);
}

long EventfdSignaller::tell(std::span<const int> eventfds) {
  for (std::size_t i = 0; i < eventfds.size(); ++i) {
    requests_->all[i].aio_resfd = static_cast<std::uint32_t>(eventfds[i]);
  }
  const long told = ::syscall(SYS_io_submit, context_, static_cast<long>(eventfds.size()),
                              requests_->pointers.data());
  reap();
  return told;
}

void EventfdSignaller::rehearse() {
  const int own = ready_.get();
  tell({&own, 1});
}

std::size_t EventfdSignaller::signal(const std::vector<int>& eventfds) {
  std::size_t told = 0;
  std::size_t next = 0;
  while (next < eventfds.size()) {
    const std::size_t count = std::min(kBatch, eventfds.size() - next);
    const long done = tell(std::span(eventfds).subspan(next, count));
    told += done > 0 ? static_cast<std::size_t>(done) : 0;
    // io_submit() stops at the first bad request, and returns an error only if that is the first of
    // all.
    next += done > 0 ? static_cast<std::size_t>(done) : 1;
  }
  return told;
}

}  // namespace evictd::notify
