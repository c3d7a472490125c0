// SPDX-License-Identifier: Apache-2.0
#include "demo/web_page.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/system_clock.h"
#include "evictd/try.h"
#include "stage/text_file.h"

namespace evictd::demo {
namespace {

/// Starting takes a fraction of a second on an idle machine.
constexpr std::chrono::seconds kListenPatience{30};
constexpr std::chrono::milliseconds kListenLook{10};
constexpr mode_t kThroughForAll = 0711;
constexpr std::string_view kListens = "listens at ";

struct Nobody {
  uid_t uid;
  gid_t gid;
};

Result<Nobody> find_nobody() {
  const passwd* const found = ::getpwnam("nobody");
  if (found == nullptr) {
    return fail(Errc::kNotFound, "evictd-web needs the user nobody, which does not exist");
  }
  return Nobody{found->pw_uid, found->pw_gid};
}

/// Lets the group of user nobody connect to evictd's socket.
Result<> open_socket_to(const Nobody& nobody, const std::filesystem::path& directory,
                        const std::filesystem::path& socket) {
  constexpr auto kAsItIs = static_cast<uid_t>(-1);
  if (::chown(socket.c_str(), kAsItIs, nobody.gid) != 0) {
    return fail_errno(errno, "give " + socket.string() + " to nobody's group");
  }
  if (::chmod(directory.c_str(), kThroughForAll) != 0) {
    return fail_errno(errno, "let others through " + directory.string());
  }
  return {};
}

std::vector<std::string> command_for(const Nobody& nobody, const std::string& program,
                                     const std::filesystem::path& socket, int port) {
  return {"/usr/bin/setpriv", fmt::format("--reuid={}", nobody.uid),
          fmt::format("--regid={}", nobody.gid), "--clear-groups", "--bounding-set=-all",
          "--inh-caps=-all", "--no-new-privs",
          // A change of user resets what Child had set.
          "--pdeathsig=KILL", program, "--socket", socket.string(), "--listen",
          fmt::format("127.0.0.1:{}", port)};
}

/// The address at which it reports to listen; unset if it has not reported yet.
std::optional<std::string> address_in(const std::string& said) {
  const std::size_t listens = said.find(kListens);
  const std::size_t end = said.find('\n', listens);
  if (listens == std::string::npos || end == std::string::npos) {
    return std::nullopt;
  }
  const std::size_t begin = listens + kListens.size();
  return said.substr(begin, end - begin);
}

Result<std::string> await_address(const stage::Child& child, const std::filesystem::path& log) {
  const base::SystemClock clock;
  const MonoTime deadline = clock.now() + kListenPatience;
  while (clock.now() < deadline) {
    pollfd dead{child.pidfd(), POLLIN, 0};
    const bool ended = ::poll(&dead, 1, static_cast<int>(kListenLook.count())) > 0;
    const std::string said = stage::read_text(log).value_or(std::string());
    if (std::optional<std::string> address = address_in(said)) {
      return std::move(*address);
    }
    if (ended) {
      return fail(Errc::kIo, "evictd-web ended: " + said);
    }
  }
  return fail(Errc::kTimedOut, "evictd-web does not listen");
}

}  // namespace

Result<WebPage> WebPage::start(const Options& options) {
  EVICTD_ASSIGN_OR_RETURN(const Nobody nobody, find_nobody());
  const std::filesystem::path socket = options.directory / "control.sock";
  EVICTD_TRY(open_socket_to(nobody, options.directory, socket));
  // Executed through an inherited descriptor: the program may be in a directory that only root can
  // enter.
  const base::Fd program{::open(options.binary.c_str(), O_PATH)};
  if (!program) {
    return fail_errno(errno, "open " + options.binary.string());
  }
  const std::filesystem::path log = options.directory / "evictd-web.log";
  std::error_code ignored;
  std::filesystem::remove(log, ignored);
  EVICTD_ASSIGN_OR_RETURN(
      stage::Child child,
      stage::Child::start(
          {.argv = command_for(nobody, fmt::format("/proc/self/fd/{}", program.get()), socket,
                               options.port),
           .output = log}));
  EVICTD_ASSIGN_OR_RETURN(std::string address, await_address(child, log));
  return WebPage(std::move(child), std::move(address));
}

int WebPage::port() const {
  return std::atoi(address_.c_str() + address_.rfind(':') + 1);
}

}  // namespace evictd::demo
