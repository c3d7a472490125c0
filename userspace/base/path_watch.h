// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "evictd/result.h"

namespace evictd::base {

/// Tells when something comes to one of some paths or goes from it, also where directories above it
/// are still to be made: inotify on the directory that each path is in, or on the nearest one above
/// that is there. Nothing tells of what is mounted, of a link on the way that leads elsewhere, of a
/// directory further above that is renamed, and on cgroupfs of the directory above that is removed:
/// take_changes() finds that the way is another, so call it at times. One thread uses it.
class PathWatch {
 public:
  /// Watches nothing.
  PathWatch() = default;
  /// Watches `paths`, which are absolute, from the first take_changes() on.
  explicit PathWatch(const std::vector<std::string>& paths);

  /// For an event loop: readable when something may have changed. The same for the life of the
  /// object; -1 where there is nothing to watch, or no inotify to be had.
  [[nodiscard]] int fd() const { return inotify_.get(); }
  /// Whether something may have come or gone since the last call; true at the first one. What does
  /// after it is told by the next: look at the paths after the call, not before. Cost: a system
  /// call or two a path.
  [[nodiscard]] bool take_changes();
  /// Why some path is not watched, as of the last call. It is tried again at each.
  [[nodiscard]] const std::optional<Error>& problem() const { return problem_; }

 private:
  struct Way {
    std::string path;
    /// Of the nearest directory above that is there; -1 for none.
    int watch = -1;
    /// What is awaited in it, or was there: the path's own name, or that of a directory on the way.
    std::string name{};
  };

  [[nodiscard]] bool take_events();
  /// Of one that has this watch; an empty `name` means the whole directory.
  [[nodiscard]] bool is_of_a_way(int watch, std::string_view name) const;
  void arm();
  void watch_nearest(Way& way);

  base::Fd inotify_;
  std::vector<Way> ways_;
  std::vector<int> watches_;
  std::optional<Error> problem_;
};

}  // namespace evictd::base
