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

/// OOM of cgroup v2: `oom` in memory.events.local of the cgroup and of each ancestor that has the
/// file, because the OOM of an ancestor is that of everything below it, as in v1; of those that the
/// mount has through which the cgroup's directory was opened. The kernel says when a file has
/// changed, not more often than every 10 ms; what it counted in between is told all the same, one
/// signal each.
class OomFiles {
 public:
  /// Each level is a file that is kept open: cgroups with more of them are not listened to.
  static constexpr std::size_t kMostLevels = 64;

  /// Both are borrowed.
  OomFiles(base::EventLoop& loop, EventSink& sink);
  OomFiles(const OomFiles&) = delete;
  OomFiles& operator=(const OomFiles&) = delete;
  ~OomFiles();

  /// How many files may be open for whom; one that several listen to counts once. No limits unless
  /// this was called.
  void limit(ShareLimits limits) { shares_.limit(limits); }
  /// `directory` is the cgroup's. Errors, in sys_errno: EOPNOTSUPP (it has no memory.events.local:
  /// the root, or a kernel before 5.2), ENODEV (it was removed), E2BIG (kMostLevels), EDQUOT and
  /// ENOSPC (the files of `owner`, those of all users but root), EMFILE, ENFILE.
  [[nodiscard]] Result<> listen(RegistrationId id, uid_t owner, int directory);
  /// Tells what the files of `id` have counted so far.
  void settle(RegistrationId id);
  void end(RegistrationId id);

 private:
  class File;
  /// Inode number of a cgroup's directory.
  using Place = std::uint64_t;

  /// A cgroup with the file.
  struct Level {
    Place place = 0;
    base::Fd file;
  };
  /// What one registration listens to.
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
