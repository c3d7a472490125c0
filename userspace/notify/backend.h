// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "evictd/abi/notify_row.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "notify/terms.h"

namespace evictd::notify {

/// Identifies one watched value in a Backend; reused some time after the row ends.
using RowId = std::uint32_t;

/// A change of position of a row.
struct RowMove {
  RowId row = 0;
  /// The row's current position; see Levels.
  std::uint32_t position = 0;
  /// Moves in between were lost because nobody read in time.
  bool gap = false;
};

/// A row has begun, possibly in place of another one.
struct RowBegin {
  RowId row = 0;
  std::uint32_t position = 0;
  /// In the signal's unit.
  std::uint64_t value = 0;
};

/// An edge is likely to be crossed soon.
struct RowApproach {
  Duration away{};
  /// CPU of the task that approaches the edge; negative if unknown.
  int cpu = -1;
};

/// Receives what a Backend saw, in the order of the events.
class BackendSink {
 public:
  virtual ~BackendSink() = default;
  virtual void on_move(const RowMove& move) = 0;
  virtual void on_begin(const RowBegin& begin) = 0;
  /// The cgroup or one of its controllers was removed: `signals`, bits (1 << signal), can no longer
  /// be watched there. EVICTD_NOTIFY_ALL_SIGNALS or evictd_notify_signals_beside().
  virtual void on_removed(CgroupId cgroup, std::uint32_t signals) = 0;
  /// A hint; a backend need not give it.
  virtual void on_approach(const RowApproach& approach) = 0;
  /// Whether drain() shall stop and leave the rest for the next call, because the sink has enough
  /// work. Asked after each report.
  [[nodiscard]] virtual bool has_enough() const { return false; }
};

/// Counters since the start.
struct BackendCounters {
  /// Times that values were read again because more happened than could be recorded.
  std::uint64_t resyncs = 0;
  /// Records lost then.
  std::uint64_t dropped = 0;
  /// Hints lost, which nothing makes up for.
  std::uint64_t lost_hints = 0;
};

/// Capacity of a Backend.
struct BackendRoom {
  std::uint32_t rows = std::numeric_limits<std::uint32_t>::max();
  /// Of all rows together.
  std::uint32_t edges = std::numeric_limits<std::uint32_t>::max();
};

/// Watches values and reports which edges they cross. Thread rule: one caller at a time.
class Backend {
 public:
  virtual ~Backend() = default;
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] virtual evictd_notify_backend kind() const = 0;
  /// The hook or the files in use: "tp_btf/mod_memcg_state", "files, every 100ms".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Bits (1 << signal) of the signals that this backend can watch on this machine.
  [[nodiscard]] virtual std::uint32_t signals() const = 0;

  /// Unlimited unless a backend overrides it.
  [[nodiscard]] virtual BackendRoom room() const { return {}; }

  /// The id of the cgroup of the open `directory`. Errors: sys_errno ENODEV (it was removed),
  /// ENOTDIR.
  [[nodiscard]] virtual Result<CgroupId> identify(int directory) const = 0;

  /// Watches `key` for `edges` (ascending, distinct) from now on; on_begin() follows. Replaces and
  /// ends the row `replaced`, if any; what that row saw is reported first. `directory` is the
  /// cgroup's, open for reading, and only used during the call.
  /// Errors: sys_errno ENODEV (the cgroup is gone), EOPNOTSUPP, ENOTDIR, ENOSPC; `replaced` then
  /// continues.
  [[nodiscard]] virtual Result<RowId> watch(const LevelKey& key, int directory,
                                            std::span<const std::uint64_t> edges,
                                            const RowId* replaced) = 0;
  virtual void unwatch(RowId row) = 0;
  /// Whether reports about `row` only tell when to read its cgroup's files, because one part of its
  /// value lags behind the others. Such a row may cross an edge without a report, or be reported to
  /// have crossed one that is far away.
  [[nodiscard]] virtual bool is_behind(RowId row) const = 0;
  /// The value last seen, in the signal's unit.
  [[nodiscard]] virtual std::uint64_t value(RowId row) const = 0;

  /// Readable (EPOLLIN) when drain() has something to report.
  [[nodiscard]] virtual int descriptor() const = 0;
  /// Reports what happened so far. Limits one call to what a caller can wait for: the descriptor
  /// then stays readable.
  virtual void drain(BackendSink& sink) = 0;
  [[nodiscard]] virtual BackendCounters counters() const = 0;
};

}  // namespace evictd::notify
