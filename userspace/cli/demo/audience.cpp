// SPDX-License-Identifier: Apache-2.0
#include "demo/audience.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

#include "demo/browser.h"
#include "evictd/try.h"

namespace evictd::demo {

Result<> Audience::open_page(const std::filesystem::path& directory) {
  if (!options_.web) {
    return {};
  }
  // The evictd-web of the previous attempt holds the port.
  page_.reset();
  const std::filesystem::path binary = program_of(options_, "evictd-web");
  EVICTD_ASSIGN_OR_RETURN(
      page_, WebPage::start({.binary = binary, .directory = directory, .port = port_}));
  if (port_ == 0) {
    port_ = page_->port();
    announce_page();
  }
  return {};
}

void Audience::announce_page() {
  say_("the page: " + page_->address());
  if (const auto opener = opener_of(find_desktop(), page_->address())) {
    Result<stage::Child> browser = stage::Child::start({.argv = *opener, .output = "/dev/null"});
    if (browser) {
      browser_ = std::move(*browser);
      say_("xdg-open was told to open it");
    } else {
      say_("it cannot be opened: " + browser.error().message());
    }
  }
  say_("Enter lets the pod misbehave");
  await_enter();
}

void Audience::keep_page_open() {
  if (page_) {
    say_("the page stays until Enter or Ctrl-C: " + page_->address());
    await_enter();
  }
}

void Audience::await_enter() const {
  while (true) {
    std::array<pollfd, 2> waits{{{signals_, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}}};
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) {
      return;
    }
    if (waits[0].revents != 0) {
      return;
    }
    if (waits[1].revents == 0) {
      continue;
    }
    std::array<char, 256> typed{};
    const ssize_t got = ::read(STDIN_FILENO, typed.data(), typed.size());
    if (got <= 0 || std::string_view(typed.data(), static_cast<std::size_t>(got)).find('\n') !=
                        std::string_view::npos) {
      return;
    }
  }
}

}  // namespace evictd::demo
