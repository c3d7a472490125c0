// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/event_loop.h"
#include "base/fd.h"
#include "evictd/result.h"
#include "notify/event_sink.h"
#include "notify/shares.h"
#include "notify/terms.h"

namespace evictd::notify {

/// OOM of cgroup v2: `oom` in memory.events.local of the cgroup and of each ancestor with the file,
/// because an ancestor's OOM concerns all its descendants, as in v1. Only ancestors within the
/// mount through which the directory was opened count. The kernel reports a change of the file at
/// most every 10 ms; all events counted in between are still reported, one signal each.
class OomFiles {
 public:
  /// Each level is one open file; cgroups with more levels are refused.
  static constexpr std::size_t kMostLevels = 64;

  /// `loop` and `sink` are borrowed.
  OomFiles(base::EventLoop& loop, EventSink& sink);
  OomFiles(const OomFiles&) = delete;
  OomFiles& operator=(const OomFiles&) = delete;
  ~OomFiles();

  /// Limits the open files by user; a file with several listeners counts once. Unlimited until
  /// called.
  void limit(ShareLimits limits) { shares_.limit(limits); }
  /// `directory` is the cgroup's. Errors, in sys_errno: EOPNOTSUPP (no memory.events.local: the
  /// root, or a kernel before 5.2), ENODEV (the cgroup was removed), E2BIG (kMostLevels), EDQUOT
  /// (files of `owner`) and ENOSPC (files of all users but root), EMFILE, ENFILE.
  [[nodiscard]] Result<> listen(RegistrationId id, uid_t owner, int directory);
  /// Reports what the files of `id` have counted so far.
  void settle(RegistrationId id);
  void end(RegistrationId id);

 private:
  class File;
  /// Inode number of a cgroup's directory.
  using Place = std::uint64_t;

  /// A cgroup that has the file.
  struct Level {
    Place place = 0;
    base::Fd file;
  };
  /// The cgroups that one registration listens to.
  struct Chain {
    uid_t owner = 0;
    std::vector<Place> places;
  };

  /// From `directory` upwards. Errors: E2BIG, EMFILE, ENFILE as listen().
  [[nodiscard]] static Result<std::vector<Level>> levels_above(int directory);
  /// Errors: EDQUOT, ENOSPC as listen().
  [[nodiscard]] Result<> check_room(uid_t owner, const std::vector<Level>& levels) const;
  [[nodiscard]] Result<> join(RegistrationId id, Level level);

  base::EventLoop& loop_;
  EventSink& sink_;
  std::map<Place, std::unique_ptr<File>> files_;
  std::map<RegistrationId, Chain> chains_;
  Shares<Place> shares_;
};

}  // namespace evictd::notify
