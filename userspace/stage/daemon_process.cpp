// SPDX-License-Identifier: Apache-2.0
#include "stage/daemon_process.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/unix_socket.h"
#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::stage {
namespace {

/// Loading and attaching takes well under a second; the margin is for a loaded machine.
constexpr std::chrono::seconds kReadyDeadline{60};
constexpr std::size_t kLogTail = 2000;

Result<base::Fd> bind_notify(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof(address.sun_path)) {
    return fail(Errc::kInvalid, text + " is too long for a socket");
  }
  std::memcpy(address.sun_path, text.c_str(), text.size());
  base::Fd fd{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  if (!fd || ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return fail_errno(errno, "bind " + text);
  }
  return fd;
}

bool has_line(std::string_view message, std::string_view wanted) {
  while (!message.empty()) {
    const std::string_view line = message.substr(0, message.find('\n'));
    if (line == wanted) {
      return true;
    }
    message.remove_prefix(line.size() < message.size() ? line.size() + 1 : line.size());
  }
  return false;
}

}  // namespace

DaemonProcess::DaemonProcess(std::filesystem::path directory, base::Fd notify, Child child)
    : directory_(std::move(directory)), notify_(std::move(notify)), child_(std::move(child)) {}

Result<DaemonProcess> DaemonProcess::start(const DaemonOptions& options) {
  const std::filesystem::path socket = options.directory / "notify.sock";
  std::error_code ignored;
  std::filesystem::remove(socket, ignored);
  EVICTD_ASSIGN_OR_RETURN(base::Fd notify, bind_notify(socket));
  std::vector<std::string> command = options.launcher;
  command.push_back(options.binary);
  if (!options.config.empty()) {
    command.insert(command.end(), {"--config", options.config});
  }
  command.insert(command.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment = options.environment;
  environment.push_back("NOTIFY_SOCKET=" + socket.string());
  EVICTD_ASSIGN_OR_RETURN(Child child, Child::start({.argv = std::move(command),
                                                     .environment = std::move(environment),
                                                     .output = options.directory / "evictd.log"}));
  DaemonProcess daemon{options.directory, std::move(notify), std::move(child)};
  EVICTD_TRY(daemon.await_notify_line("READY=1"));
  return daemon;
}

Result<> DaemonProcess::await_notify_line(std::string_view line) {
  EVICTD_ASSIGN_OR_RETURN(const bool told, sends_within(line, kReadyDeadline));
  if (!told) {
    return fail(Errc::kTimedOut, "evictd did not tell " + std::string(line) +
                                     " within a minute; its log ends: " + end_of_log());
  }
  return {};
}

Result<bool> DaemonProcess::sends_within(std::string_view line, Duration limit) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + limit;
  for (;;) {
    std::array<pollfd, 2> watched{{{notify_.get(), POLLIN, 0}, {child_.pidfd(), POLLIN, 0}}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    const int ready = ::poll(watched.data(), watched.size(),
                             static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready <= 0) {
      return false;
    }
    if (watched[0].revents != 0) {
      std::array<char, 4096> message{};
      const ssize_t got = ::recv(notify_.get(), message.data(), message.size(), 0);
      if (got > 0 && has_line({message.data(), static_cast<std::size_t>(got)}, line)) {
        return true;
      }
    } else {
      const Result<ChildExit> exit = child_.wait(std::chrono::seconds{1});
      return fail(Errc::kIo, "evictd ended with " + (exit ? exit->text() : std::string{"?"}) +
                                 "; its log ends: " + end_of_log());
    }
  }
}

Result<> DaemonProcess::reload() {
  // A watchdog ping or a status line may be pending, but no earlier READY=1.
  child_.signal(SIGHUP);
  return await_notify_line("READY=1");
}

Result<std::string> DaemonProcess::ask(std::string_view request) const {
  return base::request_line(directory_ / "control.sock", request);
}

Result<ChildExit> DaemonProcess::stop() {
  child_.signal(SIGTERM);
  Result<ChildExit> end = child_.wait(std::chrono::seconds{10});
  if (!end) {
    child_.signal(SIGKILL);
    end = child_.wait(std::chrono::seconds{10});
  }
  return end;
}

std::string DaemonProcess::end_of_log() const {
  std::string text = read_text(log()).value_or(std::string{});
  return text.size() > kLogTail ? text.substr(text.size() - kLogTail) : text;
}

}  // namespace evictd::stage
