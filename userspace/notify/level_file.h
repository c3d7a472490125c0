// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/fd.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "notify/terms.h"

namespace evictd::notify {

/// One reading of a cgroup's files.
struct LevelReading {
  /// In the signal's unit.
  std::uint64_t value = 0;
  /// In the unit of the key.
  std::uint64_t level = 0;
};

/// The working set, if usage was between `usage` (least, most) around the moment at which the file
/// cache had `inactive` bytes inactive. Of the possible values it returns the nearest to `last`. So
/// a charge between the readings of the two files causes no crossing. Pure.
[[nodiscard]] std::uint64_t settle_working_set(std::optional<std::uint64_t> last,
                                               std::pair<std::uint64_t, std::uint64_t> usage,
                                               std::uint64_t inactive);

/// The open files of one cgroup that one value is computed from.
class LevelFiles {
 public:
  LevelFiles() = default;
  /// Errors: sys_errno EOPNOTSUPP (the cgroup has no such file), on cgroup v1 ENOTDIR; ENODEV;
  /// those of open(2) if reading is not permitted.
  [[nodiscard]] static Result<LevelFiles> open(const LevelKey& key, int directory);

  /// Errors: sys_errno ENODEV once the cgroup is removed.
  [[nodiscard]] Result<LevelReading> read(MonoTime now);

 private:
  [[nodiscard]] Result<std::uint64_t> amount();
  [[nodiscard]] Result<std::uint64_t> working_set();
  [[nodiscard]] std::optional<std::uint64_t> limit() const;
  [[nodiscard]] std::uint64_t rate(std::uint64_t usage, MonoTime now);

  LevelKey key_;
  base::Fd amount_;
  /// Added (swap of v2) or subtracted (statistics: inactive file cache).
  base::Fd second_;
  base::Fd limit_;
  base::Fd second_limit_;
  std::uint64_t rate_ = 0;
  std::uint64_t rate_usage_ = 0;
  MonoTime rate_since_{};
  /// WORKING_SET: the last value.
  std::optional<std::uint64_t> working_set_;
};

}  // namespace evictd::notify
