// SPDX-License-Identifier: Apache-2.0
#include "oom_race/managed_oom.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

namespace evictd::bench {
namespace {

constexpr const char* kSocket = "/run/systemd/io.system.ManagedOOM";

bool is_readable(int fd, Duration timeout) {
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(timeout).count();
  pollfd wanted{fd, POLLIN, 0};
  return ::poll(&wanted, 1, static_cast<int>(milliseconds)) == 1;
}

}  // namespace

std::string managed_oom_reply(const std::string& path) {
  nlohmann::json cgroups = nlohmann::json::array();
  for (const char* property : {"ManagedOOMMemoryPressure", "ManagedOOMSwap"}) {
    cgroups.push_back({{"mode", "kill"}, {"path", path}, {"property", property}});
  }
  const nlohmann::json reply = {{"parameters", {{"cgroups", cgroups}}}, {"continues", true}};
  return reply.dump() + '\0';
}

ManagedOom::ManagedOom(std::string path, base::Fd listener)
    : path_(std::move(path)), listener_(std::move(listener)) {}

ManagedOom::~ManagedOom() {
  if (listener_) {
    ::unlink(kSocket);
  }
}

Result<ManagedOom> ManagedOom::start(std::string path) {
  if (std::filesystem::exists("/run/systemd/system")) {
    return fail(Errc::kBusy, "systemd is this machine's service manager");
  }
  // The directory of systemd-oomd's own socket; its unit would create it.
  std::error_code ignored;
  std::filesystem::create_directories("/run/systemd/oom", ignored);
  ::unlink(kSocket);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, kSocket, sizeof(address.sun_path) - 1);
  base::Fd listener{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (!listener ||
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(listener.get(), 1) != 0) {
    return fail_errno(errno, std::string{"listen at "} + kSocket);
  }
  return ManagedOom{std::move(path), std::move(listener)};
}

Result<> ManagedOom::tell(Duration timeout) {
  if (!is_readable(listener_.get(), timeout)) {
    return fail(Errc::kTimedOut, "systemd-oomd does not ask what to watch");
  }
  connection_.reset(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  std::array<char, 4096> question{};
  if (!connection_ || !is_readable(connection_.get(), timeout) ||
      ::read(connection_.get(), question.data(), question.size()) <= 0) {
    return fail(Errc::kTimedOut, "systemd-oomd does not ask what to watch");
  }
  const std::string reply = managed_oom_reply(path_);
  if (::write(connection_.get(), reply.data(), reply.size()) !=
      static_cast<ssize_t>(reply.size())) {
    return fail_errno(errno, "tell systemd-oomd what to watch");
  }
  return {};
}

}  // namespace evictd::bench
