// SPDX-License-Identifier: Apache-2.0
#include "notify/kernel_relay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "evictd/try.h"

namespace evictd::notify {
namespace {

constexpr std::array<const char*, EVICTD_NOTIFY_LEVELS> kLevelWords{"low", "medium", "critical"};
constexpr std::array<const char*, EVICTD_NOTIFY_MODES> kModeWords{"", ",hierarchy", ",local"};

bool is_gone(int directory) {
  return ::faccessat(directory, "cgroup.procs", F_OK, 0) != 0;
}

/// Makes the kernel signal `eventfd`.
Result<> register_with_kernel(int eventfd, const Terms& terms, int directory) {
  const char* const name =
      terms.signal == EVICTD_NOTIFY_OOM ? "memory.oom_control" : "memory.pressure_level";
  const base::Fd file(::openat(directory, name, O_RDONLY | O_CLOEXEC));
  if (!file && errno == ENOENT) {
    return fail_errno(is_gone(directory) ? ENODEV : EOPNOTSUPP,
                      fmt::format("this kernel has no {}", name));
  }
  const base::Fd control(::openat(directory, "cgroup.event_control", O_WRONLY | O_CLOEXEC));
  if (!file || !control) {
    return fail_errno(errno, "open cgroup.event_control");
  }
  const std::string order = fmt::format("{} {} {}", eventfd, file.get(), control_arguments(terms));
  if (::write(control.get(), order.data(), order.size()) < 0) {
    const int error = errno;
    return fail_errno(is_gone(directory) ? ENODEV : error, "write cgroup.event_control");
  }
  return {};
}

}  // namespace

std::string control_arguments(const Terms& terms) {
  if (terms.signal == EVICTD_NOTIFY_OOM) {
    return "";
  }
  return fmt::format("{}{}", kLevelWords.at(static_cast<std::size_t>(terms.threshold)),
                     kModeWords.at(static_cast<std::size_t>(terms.mode)));
}

/// One eventfd that the kernel signals.
class KernelRelay::Relay final : public base::ReadyHandler {
 public:
  Relay(EventSink& sink, RegistrationId id, base::Fd eventfd, base::Fd directory)
      : sink_(sink), id_(id), eventfd_(std::move(eventfd)), directory_(std::move(directory)) {}

  [[nodiscard]] int descriptor() const { return eventfd_.get(); }

  void on_ready(std::uint32_t /*events*/) override {
    eventfd_t count = 0;
    if (::eventfd_read(eventfd_.get(), &count) != 0) {
      return;
    }
    // The kernel also signals the removal here, which the backend reports to all.
    if (!removal_taken_ && is_gone(directory_.get())) {
      removal_taken_ = true;
      --count;
    }
    sink_.on_events(std::vector<RegistrationId>(count, id_));
  }

 private:
  EventSink& sink_;
  RegistrationId id_;
  base::Fd eventfd_;
  base::Fd directory_;
  bool removal_taken_ = false;
};

KernelRelay::KernelRelay(base::EventLoop& loop, EventSink& sink) : loop_(loop), sink_(sink) {}

KernelRelay::~KernelRelay() {
  while (!relays_.empty()) {
    end(relays_.begin()->first);
  }
}

Result<> KernelRelay::listen(RegistrationId id, const Terms& terms, int directory) {
  base::Fd eventfd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  base::Fd kept(::fcntl(directory, F_DUPFD_CLOEXEC, 3));
  if (!eventfd || !kept) {
    return fail_errno(errno, "make an eventfd");
  }
  EVICTD_TRY(register_with_kernel(eventfd.get(), terms, directory));
  auto relay = std::make_unique<Relay>(sink_, id, std::move(eventfd), std::move(kept));
  EVICTD_TRY(loop_.add(relay->descriptor(), EPOLLIN, *relay));
  relays_[id] = std::move(relay);
  return {};
}

void KernelRelay::settle(RegistrationId id) {
  if (const auto found = relays_.find(id); found != relays_.end()) {
    found->second->on_ready(0);
  }
}

void KernelRelay::end(RegistrationId id) {
  const auto found = relays_.find(id);
  if (found == relays_.end()) {
    return;
  }
  loop_.remove(found->second->descriptor(), *found->second);
  // No other process has the eventfd: the kernel unregisters it.
  relays_.erase(found);
}

}  // namespace evictd::notify
