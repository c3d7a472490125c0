// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::base {

/// Reports that a path may have appeared or disappeared, even if its parent directories do not
/// exist yet. Uses inotify on each path's directory, or on its nearest existing ancestor.
/// inotify does not report mounts, a symbolic link on the way that changes its target, a rename of
/// a directory further up or, on cgroupfs, the removal of the watched directory. take_changes()
/// detects these, so call it from time to time. Thread rule: one thread.
class PathWatch {
 public:
  /// Watches nothing.
  PathWatch() = default;
  /// Watches `paths`, which are absolute, from the first take_changes() on.
  explicit PathWatch(const std::vector<std::string>& paths);

  /// For an event loop: readable when something may have changed. Constant for the life of the
  /// object; -1 if there is nothing to watch or inotify is not available.
  [[nodiscard]] int fd() const { return inotify_.get(); }
  /// Whether a path may have appeared or disappeared since the last call; true at the first call.
  /// Read the paths after the call, not before: a later change is reported by the next call. Cost:
  /// one or two system calls per path.
  [[nodiscard]] bool take_changes();
  /// The same by inotify's reports alone, for when fd() is readable. Costs little if they are of
  /// other entries of the watched directories.
  [[nodiscard]] bool take_reports();
  /// Why some path is not watched, as of the last call. Each call tries again.
  [[nodiscard]] const std::optional<Error>& problem() const { return problem_; }

 private:
  struct WatchedPath {
    std::string path;
    /// inotify watch of the nearest existing ancestor; -1 for none.
    int watch = -1;
    /// The awaited or existing entry in it: the path's own name, or that of a directory on the way.
    std::string name{};
  };

  [[nodiscard]] bool take_events();
  /// Whether some path has this watch and name. An empty `name` means the whole directory.
  [[nodiscard]] bool concerns_watched_path(int watch, std::string_view name) const;
  void arm();
  void watch_nearest(WatchedPath& way);

  base::Fd inotify_;
  std::vector<WatchedPath> watched_paths_;
  std::vector<int> watches_;
  std::optional<Error> problem_;
};

}  // namespace evictd::base
