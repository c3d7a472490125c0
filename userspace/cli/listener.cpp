// SPDX-License-Identifier: Apache-2.0
#include "cli/listener.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <utility>

#include "cli/terminal.h"
#include "evictd/try.h"
#include "notify_client/control_words.h"
#include "notify_client/passing_error.h"

namespace evictd::cli {
namespace {

/// The hysteresis in the unit of `watch`. Errors: kInvalid.
Result<std::uint64_t> hysteresis_of(const std::string& text, const evictd_notify_watch& watch) {
  if (text.empty()) {
    return std::uint64_t{0};
  }
  const auto signal = static_cast<evictd_notify_signal>(watch.signal);
  EVICTD_ASSIGN_OR_RETURN(
      const evictd_notify_watch parsed,
      EVICTD_IN("--hysteresis", notify_client::parse_control_arguments(signal, text)));
  if (parsed.unit != watch.unit) {
    return fail(Errc::kInvalid, "--hysteresis \"" + text +
                                    "\"; allowed: a percentage with a percentage, else none");
  }
  if (parsed.threshold > watch.threshold) {
    return fail(Errc::kInvalid,
                "--hysteresis \"" + text + "\"; allowed: at most as much as the threshold");
  }
  return parsed.threshold;
}

/// The error message for an event or a rate that evictd would refuse with a mere EINVAL; empty if
/// it is valid.
std::string problem_of(const evictd_notify_watch& watch, const ListenOptions& options,
                       const std::string& argument) {
  const bool is_event = watch.signal == EVICTD_NOTIFY_PRESSURE || watch.signal == EVICTD_NOTIFY_OOM;
  if (is_event && options.direction != EVICTD_NOTIFY_BOTH) {
    return "--direction of pressure or oom, which has none; allowed: both";
  }
  if (is_event && !options.hysteresis.empty()) {
    return "--hysteresis of pressure or oom, which has none; allowed: no --hysteresis";
  }
  if (watch.signal == EVICTD_NOTIFY_RATE && watch.unit == EVICTD_NOTIFY_OF_LIMIT) {
    return '"' + argument + "\" of a rate, which has no limit; allowed: bytes a second";
  }
  return {};
}

}  // namespace

Result<Listener> Listener::create(const ListenOptions& options) {
  EVICTD_ASSIGN_OR_RETURN(
      const notify_client::ControlFile file,
      EVICTD_IN("Cannot open", notify_client::parse_control_file(options.path)));
  Listener listener;
  listener.options_ = options;
  // The kernel's cgroup_event_listener prints the directory of a control file, because dirname()
  // cuts its argument; it cannot cut a path without a slash.
  listener.name_ = options.path.find('/') == std::string::npos ? options.path : file.directory;
  listener.cgroup_.reset(::open(file.directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listener.cgroup_) {
    return fail_errno(errno, "Cannot open " + options.path);
  }
  evictd_notify* handle = nullptr;
  const int error = evictd_notify_open(options.socket.c_str(), /*flags=*/0, &handle);
  if (error != 0) {
    return fail_errno(error, "is evictd running? " + options.socket);
  }
  listener.handle_.reset(handle);
  std::vector<std::string> arguments = options.arguments;
  const evictd_notify_signal signal = options.signal.value_or(file.signal);
  if (arguments.empty()) {
    // Correct for the OOM killer; for other signals the parser reports the missing threshold.
    arguments.emplace_back();
  }
  for (const std::string& argument : arguments) {
    EVICTD_TRY(listener.add(argument, signal));
  }
  return listener;
}

Result<> Listener::add(const std::string& argument, evictd_notify_signal signal) {
  Result<evictd_notify_watch> watch = notify_client::parse_control_arguments(signal, argument);
  if (!watch) {
    return fail(Errc::kInvalid, watch.error().message());
  }
  watch->direction = options_.direction;
  if (const std::string problem = problem_of(*watch, options_, argument); !problem.empty()) {
    return fail(Errc::kInvalid, problem);
  }
  const Result<std::uint64_t> hysteresis = hysteresis_of(options_.hysteresis, *watch);
  if (!hysteresis) {
    return fail(Errc::kInvalid, hysteresis.error().message());
  }
  watch->hysteresis = *hysteresis;
  base::Fd eventfd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!eventfd) {
    return fail_errno(errno, "eventfd() failed");
  }
  std::uint64_t id = 0;
  const int error =
      evictd_notify_register_at(handle_.get(), cgroup_.get(), &*watch, eventfd.get(), &id);
  if (error != 0) {
    return fail_errno(error, "Cannot listen to " + options_.path + " " + argument);
  }
  registrations_.push_back({.argument = argument, .eventfd = std::move(eventfd), .id = id});
  return {};
}

bool Listener::is_removed() const {
  return ::faccessat(cgroup_.get(), "cgroup.procs", F_OK, 0) != 0 &&
         (errno == ENOENT || errno == ENODEV);
}

void Listener::warn_of_gap() {
  evictd_notify_info info{};
  if (evictd_notify_get_info(handle_.get(), &info) == 0 && info.gaps != gaps_) {
    gaps_ = info.gaps;
    warn("evictd was gone for a while: crossings in the meantime were not reported");
  }
}

int Listener::end_of(const Registration& registration) const {
  evictd_notify_state state{};
  if (evictd_notify_query(handle_.get(), registration.id, &state) == ENOENT) {
    return ENODEV;
  }
  // Unknown while evictd is gone or silent; its return wakes this loop again.
  const bool goes_on =
      state.error == 0 || state.error == ENOTCONN || notify_client::is_passing(state.error);
  return goes_on ? 0 : state.error;
}

Result<bool> Listener::give_up(Registration& registration, int error) {
  static_cast<void>(evictd_notify_unregister(handle_.get(), registration.id));
  registration.eventfd.reset();
  const bool goes_on =
      std::any_of(registrations_.begin(), registrations_.end(),
                  [](const Registration& each) { return static_cast<bool>(each.eventfd); });
  std::string what = "Can no longer listen to " + options_.path;
  if (!registration.argument.empty()) {
    what += " " + registration.argument;
  }
  if (error == ENODEV) {
    warn(what + ": its controller was disabled in the cgroup");
  } else {
    refusal_ = fail_errno(error, what).value();
    if (goes_on) {
      warn(refusal_->message());
    }
  }
  if (!goes_on && refusal_) {
    return Failure(*refusal_);
  }
  return goes_on;
}

Result<bool> Listener::take(Registration& registration) {
  eventfd_t crossings = 0;
  if (!registration.eventfd || ::eventfd_read(registration.eventfd.get(), &crossings) != 0) {
    return true;
  }
  warn_of_gap();
  // Checked before the cgroup: a removal between the two checks has already ended the registration.
  const int error = end_of(registration);
  if (is_removed()) {
    std::cout << "The cgroup seems to have removed." << std::endl;
    return false;
  }
  if (error != 0) {
    return give_up(registration, error);
  }
  // Flushed at once, not when a buffer is full: the reader of a pipe acts on each line.
  std::cout << name_ << ' ' << registration.argument << ": crossed" << std::endl;
  if (!std::cout) {
    return fail(Errc::kIo, "stdout cannot be written");
  }
  ++printed_;
  return options_.count == 0 || printed_ < options_.count;
}

Result<> Listener::run() {
  std::vector<pollfd> waited(registrations_.size());
  while (true) {
    // An empty Fd is a negative descriptor, which poll() ignores.
    std::transform(registrations_.begin(), registrations_.end(), waited.begin(),
                   [](const Registration& each) {
                     return pollfd{.fd = each.eventfd.get(), .events = POLLIN, .revents = 0};
                   });
    if (::poll(waited.data(), waited.size(), /*timeout=*/-1) < 0 && errno != EINTR) {
      return fail_errno(errno, "wait for a crossing");
    }
    for (Registration& registration : registrations_) {
      const Result<bool> goes_on = take(registration);
      if (!goes_on || !*goes_on) {
        return goes_on ? Result<>() : Failure(goes_on.error());
      }
    }
  }
}

}  // namespace evictd::cli
