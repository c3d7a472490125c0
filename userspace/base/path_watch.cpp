// SPDX-License-Identifier: Apache-2.0
#include "base/path_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace evictd::base {

namespace {

constexpr std::uint32_t kDirectoryGone = IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT;
constexpr std::uint32_t kWatched = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                   IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

/// Whether to search further up for an existing directory.
bool is_absent(int error) {
  return error == ENOENT || error == ENOTDIR;
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

}  // namespace

PathWatch::PathWatch(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    watched_paths_.push_back({.path = without_slash(path)});
  }
  if (watched_paths_.empty()) {
    return;
  }
  inotify_.reset(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!inotify_) {
    problem_ = fail_errno(errno, "watch for directories").value();
  }
}

bool PathWatch::take_changes() {
  if (!inotify_) {
    return false;
  }
  const bool told = take_events();
  const std::vector<int> before = watches_;
  // Even without an event: cgroupfs reports nothing when a watched directory is removed.
  arm();
  return told || watches_ != before;
}

bool PathWatch::take_reports() {
  const bool told = inotify_ && take_events();
  if (told) {
    arm();
  }
  return told;
}

bool PathWatch::take_events() {
  bool changed = false;
  alignas(inotify_event) std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t size = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (size <= 0) {
      return changed;
    }
    inotify_event event{};
    for (ssize_t at = 0; at < size; at += static_cast<ssize_t>(sizeof event + event.len)) {
      const char* start = buffer.data() + at;
      std::memcpy(&event, start, sizeof event);
      const std::string_view name = event.len > 0 ? start + sizeof event : "";
      changed = changed || (event.mask & IN_Q_OVERFLOW) != 0 ||
                concerns_watched_path(event.wd, (event.mask & kDirectoryGone) != 0 ? "" : name);
    }
  }
}

bool PathWatch::concerns_watched_path(int watch, std::string_view name) const {
  return std::any_of(watched_paths_.begin(), watched_paths_.end(), [&](const WatchedPath& way) {
    return way.watch == watch && (name.empty() || way.name == name);
  });
}

void PathWatch::arm() {
  problem_.reset();
  std::vector<int> watches;
  for (WatchedPath& way : watched_paths_) {
    // Repeats until the result is stable: changes before the watch existed cause no event.
    int before = way.watch;
    for (watch_nearest(way); way.watch != before; watch_nearest(way)) {
      before = way.watch;
    }
    watches.push_back(way.watch);
  }
  for (const int old : std::exchange(watches_, std::move(watches))) {
    if (std::find(watches_.begin(), watches_.end(), old) == watches_.end()) {
      ::inotify_rm_watch(inotify_.get(), old);
    }
  }
}

void PathWatch::watch_nearest(WatchedPath& way) {
  std::filesystem::path at = way.path;
  do {
    way.name = at.filename();
    at = at.parent_path();
    way.watch = ::inotify_add_watch(inotify_.get(), at.c_str(), kWatched);
  } while (way.watch < 0 && is_absent(errno) && at != at.root_path());
  if (way.watch < 0) {
    problem_ = fail_errno(errno, "watch " + at.string() + " for " + way.path).value();
  }
}

}  // namespace evictd::base
