// SPDX-License-Identifier: Apache-2.0
#include "notify_client/path_wait.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

namespace evictd::notify_client {
namespace {

constexpr std::uint32_t kChanges =
    IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

PathWait::PathWait(base::Fd inotify, std::string path)
    : inotify_(std::move(inotify)), path_(std::move(path)) {}

Result<PathWait> PathWait::create(std::string path) {
  base::Fd inotify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify) {
    return fail_errno(errno, "watch the socket's directory");
  }
  return PathWait(std::move(inotify), std::move(path));
}

void PathWait::drain() {
  std::array<std::byte, 4096> events{};
  while (::read(inotify_.get(), events.data(), events.size()) > 0) {
  }
}

Result<> PathWait::arm() {
  if (watch_ >= 0) {
    ::inotify_rm_watch(inotify_.get(), watch_);
    watch_ = -1;
  }
  drain();
  std::error_code ignored;
  // Searches upwards for the nearest directory. A deeper one created meanwhile would be missed, so
  // it repeats.
  while (true) {
    std::filesystem::path below = std::filesystem::absolute(path_, ignored);
    std::filesystem::path directory = below.parent_path();
    while ((watch_ = ::inotify_add_watch(inotify_.get(), directory.c_str(), kChanges)) < 0) {
      if ((errno != ENOENT && errno != ENOTDIR) || directory == directory.parent_path()) {
        return fail_errno(errno, "watch " + directory.string());
      }
      below = directory;
      directory = directory.parent_path();
    }
    const bool nearest = below == std::filesystem::absolute(path_, ignored);
    if (nearest || !std::filesystem::is_directory(below, ignored)) {
      return {};
    }
    ::inotify_rm_watch(inotify_.get(), watch_);
  }
}

}  // namespace evictd::notify_client
