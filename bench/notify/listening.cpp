// SPDX-License-Identifier: Apache-2.0
#include "notify/listening.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

/// Equal to that of the other benches' consumers.
constexpr int kRealtimePriority = 10;

}  // namespace

std::string_view name_of(Notifier notifier) {
  switch (notifier) {
    case Notifier::kService:
      return "service";
    case Notifier::kInProcess:
      return "in-process";
    case Notifier::kKernel:
      return "kernel";
  }
  return "";
}

Result<RealtimeScope> RealtimeScope::enter(bool wanted) {
  const sched_param parameters{kRealtimePriority};
  if (wanted && ::sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) {
    return fail_errno(errno, "take real-time priority");
  }
  return RealtimeScope{wanted};
}

RealtimeScope::RealtimeScope(RealtimeScope&& other) noexcept
    : active_(std::exchange(other.active_, false)) {}

RealtimeScope::~RealtimeScope() {
  if (active_) {
    const sched_param parameters{0};
    ::sched_setscheduler(0, SCHED_OTHER, &parameters);
  }
}

Result<Listening> Listening::start(Notifier notifier, const PrivateGround& ground,
                                   const std::filesystem::path& programs, bool realtime) {
  Listening listening{ground.tree.hierarchies().usage_file()};
  if (notifier == Notifier::kKernel) {
    return listening;
  }
  const std::filesystem::path socket = ground.scratch.path() / "listen.sock";
  if (notifier == Notifier::kService) {
    EVICTD_ASSIGN_OR_RETURN(
        stage::DaemonProcess service,
        stage::DaemonProcess::start(
            {.binary = programs / "evictd",
             .config = {},
             .directory = ground.scratch.path(),
             .arguments = {"--notify-only", "--notify-socket", socket.string()}}));
    listening.service_ = std::move(service);
  }
  EVICTD_ASSIGN_OR_RETURN(const RealtimeScope scope, RealtimeScope::enter(realtime));
  EVICTD_TRY(listening.open(socket.c_str(),
                            notifier == Notifier::kInProcess ? EVICTD_NOTIFY_IN_PROCESS : 0));
  return listening;
}

Result<> Listening::open(const char* socket, unsigned int flags) {
  evictd_notify* handle = nullptr;
  if (const int error = ::evictd_notify_open(socket, flags, &handle); error != 0) {
    return fail_errno(error, "open the notification library");
  }
  handle_.reset(handle);
  evictd_notify_info info{};
  if (const int error = ::evictd_notify_get_info(handle, &info); error != 0) {
    return fail_errno(error, "read the state of the notification library");
  }
  if (info.backend != EVICTD_NOTIFY_KERNEL) {
    return fail(Errc::kUnsupported, "evictd has no hooks here and would read files");
  }
  return {};
}

Result<std::uint64_t> Listening::add(const std::filesystem::path& directory, Bytes threshold,
                                     int eventfd) {
  if (handle_ == nullptr) {
    const base::Fd usage{::open((directory / usage_file_).c_str(), O_RDONLY | O_CLOEXEC)};
    if (!usage) {
      return fail_errno(errno, "open " + (directory / usage_file_).string());
    }
    const std::string line = std::to_string(eventfd) + " " + std::to_string(usage.get()) + " " +
                             std::to_string(threshold.value);
    return stage::write_kernel_file(directory / "cgroup.event_control", line).map([] {
      return std::uint64_t{0};
    });
  }
  evictd_notify_watch watch{};
  watch.threshold = static_cast<std::uint64_t>(threshold.value);
  std::uint64_t id = 0;
  if (const int error =
          ::evictd_notify_register(handle_.get(), directory.c_str(), &watch, eventfd, &id);
      error != 0) {
    return fail_errno(error, "register a threshold of " + directory.string());
  }
  return id;
}

Result<> Listening::remove(std::uint64_t id) {
  if (const int error = ::evictd_notify_unregister(handle_.get(), id); error != 0) {
    return fail_errno(error, "unregister a threshold");
  }
  return {};
}

std::optional<pid_t> Listening::keeper() const {
  if (handle_ == nullptr) {
    return std::nullopt;
  }
  return service_ ? service_->pid() : ::getpid();
}

Result<> listen_to(Listening& listening, const Ladder& ladder, std::vector<base::Fd>& eventfds) {
  for (int i = 0; i < ladder.count; ++i) {
    base::Fd eventfd{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (!eventfd) {
      return fail_errno(errno, "make an eventfd");
    }
    const Bytes threshold = ladder.first + Bytes{i * ladder.step.value};
    EVICTD_TRY(listening.add(ladder.directory, threshold, eventfd.get()));
    eventfds.push_back(std::move(eventfd));
  }
  return {};
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

}  // namespace evictd::bench
