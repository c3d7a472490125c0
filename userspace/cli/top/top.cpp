// SPDX-License-Identifier: Apache-2.0
#include "cli/top/top.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <clocale>
#include <csignal>
#include <optional>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/system_clock.h"
#include "cli/top/event_list.h"
#include "cli/top/feed.h"
#include "cli/top/layout.h"
#include "cli/top/node_state.h"
#include "cli/top/terminal_screen.h"
#include "evictd/try.h"
#include "export/json_time.h"

namespace evictd::cli::top {

namespace {

using std::chrono::milliseconds;

/// How far back events are shown at the start.
constexpr std::chrono::hours kEventsSince{1};

/// Reads signals from a descriptor, so that unwinding restores the terminal.
class Signals {
 public:
  Signals() {
    sigset_t caught;
    sigemptyset(&caught);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH}) {
      sigaddset(&caught, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &caught, &before_);
    fd_.reset(::signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  ~Signals() {
    static_cast<void>(any_ends());
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  [[nodiscard]] int fd() const { return fd_.get(); }

  /// Reads pending signals; returns whether one of them ends the program. The others report a new
  /// size.
  [[nodiscard]] bool any_ends() const {
    bool ends = false;
    signalfd_siginfo taken{};
    while (::read(fd_.get(), &taken, sizeof(taken)) > 0) {
      ends = ends || taken.ssi_signo != SIGWINCH;
    }
    return ends;
  }

 private:
  sigset_t before_{};
  base::Fd fd_;
};

std::string clock_text(WallTime now) {
  constexpr std::size_t kDate = 11;
  constexpr std::size_t kTime = 8;
  const std::string text = exporting::rfc3339(now);
  return text.size() < kDate + kTime ? text : text.substr(kDate, kTime) + " UTC";
}

/// The running program: data, view and screen.
class Top {
 public:
  Top(const TopOptions& options, TerminalScreen screen, const Signals& signals)
      : screen_(std::move(screen)),
        signals_(signals),
        since_(base::SystemClock().wall_now() - kEventsSince),
        feed_({options.socket, options.interval, exporting::rfc3339(since_)}),
        events_(since_) {
    view_.sort = options.sort;
    view_.filter = options.filter;
  }

  Result<> run() {
    while (true) {
      take_news();
      draw();
      EVICTD_ASSIGN_OR_RETURN(const bool ready, await());
      if (!ready || signals_.any_ends() || take_keys() == Wish::kQuit) {
        return {};
      }
    }
  }

 private:
  void take_news() {
    News news = feed_.run(clock_.now());
    for (const auto& event : news.events) {
      events_.take(event);
    }
    if (!news.status || view_.paused) {
      return;
    }
    NodeState node = read_node_state(*news.status);
    if (node_ && is_moving(*node_, node)) {
      feed_.hurry(clock_.now());
    }
    node_ = std::move(node);
  }

  void draw() {
    const std::string trouble = feed_.trouble().empty()
                                    ? std::string()
                                    : "evictd is unavailable, retrying: " + feed_.trouble();
    const Scene scene{.node = node_ ? &*node_ : nullptr,
                      .events = &events_,
                      .trouble = trouble,
                      .events_trouble = feed_.events_trouble(),
                      .clock = clock_text(clock_.wall_now()),
                      .charset = screen_.charset()};
    screen_.draw(lay_out(scene, screen_.size(), view_));
  }

  /// Waits for a key, a signal, evictd, or the next request; returns false once the terminal is
  /// gone.
  [[nodiscard]] Result<bool> await() const {
    std::vector<pollfd> waits{{STDIN_FILENO, POLLIN, 0}, {signals_.fd(), POLLIN, 0}};
    for (const int fd : feed_.descriptors()) {
      waits.push_back({fd, POLLIN, 0});
    }
    const auto rest = std::chrono::ceil<milliseconds>(feed_.due() - clock_.now()).count();
    const int timeout = static_cast<int>(std::clamp<milliseconds::rep>(rest, 0, 1000));
    if (::poll(waits.data(), waits.size(), timeout) < 0 && errno != EINTR) {
      return fail_errno(errno, "wait for the terminal");
    }
    return (waits[0].revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
  }

  Wish take_keys() {
    while (const std::optional<Key> key = screen_.next_key()) {
      const bool was_paused = view_.paused;
      const std::vector<const PodState*> pods =
          node_ ? pods_in_order(*node_, view_) : std::vector<const PodState*>();
      if (apply(*key, pods, view_) == Wish::kQuit) {
        return Wish::kQuit;
      }
      if (was_paused != view_.paused) {
        was_paused ? events_.resume() : events_.pause();
        feed_.hurry(clock_.now());
      }
    }
    return Wish::kStay;
  }

  base::SystemClock clock_{};
  TerminalScreen screen_;
  const Signals& signals_;
  WallTime since_;
  Feed feed_;
  EventList events_;
  std::optional<NodeState> node_{};
  View view_{};
};

}  // namespace

Result<> run_top(const TopOptions& options) {
  std::setlocale(LC_CTYPE, "");
  const Signals signals;
  EVICTD_ASSIGN_OR_RETURN(TerminalScreen screen, TerminalScreen::create());
  return Top(options, std::move(screen), signals).run();
}

}  // namespace evictd::cli::top
