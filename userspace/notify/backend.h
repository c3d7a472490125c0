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

/// One value under watch, as a Backend calls it; used again some time after its end.
using RowId = std::uint32_t;

/// What was seen of a row.
struct RowMove {
  RowId row = 0;
  /// Where the row is now; see Levels.
  std::uint32_t position = 0;
  /// Moves in between were lost, because nobody looked in time.
  bool gap = false;
};

/// A row has begun, maybe in the place of another one.
struct RowBegin {
  RowId row = 0;
  std::uint32_t position = 0;
  /// In the signal's own unit.
  std::uint64_t value = 0;
};

/// An edge is likely to be passed soon.
struct RowApproach {
  Duration away{};
  /// Of who is on the way to it; negative where it is not known.
  int cpu = -1;
};

/// Who hears what a Backend saw, in the order in which it happened.
class BackendSink {
 public:
  virtual ~BackendSink() = default;
  virtual void on_move(const RowMove& move) = 0;
  virtual void on_begin(const RowBegin& begin) = 0;
  /// The cgroup is gone, or a controller of it: `signals`, bits (1 << signal), can be watched there
  /// no longer. EVICTD_NOTIFY_ALL_SIGNALS or evictd_notify_signals_beside().
  virtual void on_removed(CgroupId cgroup, std::uint32_t signals) = 0;
  /// A hint, which a backend need not give.
  virtual void on_approach(const RowApproach& approach) = 0;
  /// Whether drain() is to leave the rest for the next time, because there is enough to do about
  /// what was said. Once it has said something.
  [[nodiscard]] virtual bool has_enough() const { return false; }
};

/// Counters since the start.
struct BackendCounters {
  /// Times that values had to be read anew because what was seen was more than could be kept.
  std::uint64_t resyncs = 0;
  /// What was lost then.
  std::uint64_t dropped = 0;
};

/// What a Backend has room for.
struct BackendRoom {
  std::uint32_t rows = std::numeric_limits<std::uint32_t>::max();
  /// Of all rows together.
  std::uint32_t edges = std::numeric_limits<std::uint32_t>::max();
};

/// Watches values and says which edges they pass. Thread rule: one caller at a time.
class Backend {
 public:
  virtual ~Backend() = default;
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] virtual evictd_notify_backend kind() const = 0;
  /// What is hooked or read: "tp_btf/mod_memcg_state", "files, every 100ms".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Bit (1 << signal): what this backend watches on this machine.
  [[nodiscard]] virtual std::uint32_t signals() const = 0;

  /// Without end, unless a backend says otherwise.
  [[nodiscard]] virtual BackendRoom room() const { return {}; }

  /// Which cgroup the open `directory` is. Errors: sys_errno ENODEV (it was removed), ENOTDIR.
  [[nodiscard]] virtual Result<CgroupId> identify(int directory) const = 0;

  /// Watches `key` for `edges` (ascending, distinct) from now on, in the place of row `replaced`
  /// if there is one, which thereby ends; on_begin() follows. What `replaced` saw before comes
  /// before that. `directory` is the cgroup's, open for reading, and only needed during the call.
  /// Errors: sys_errno ENODEV (the cgroup is gone), EOPNOTSUPP, ENOTDIR, ENOSPC;
  /// `replaced` goes on then.
  [[nodiscard]] virtual Result<RowId> watch(const LevelKey& key, int directory,
                                            std::span<const std::uint64_t> edges,
                                            const RowId* replaced) = 0;
  virtual void unwatch(RowId row) = 0;
  /// Whether what is said of `row` is but a reason to read the files of its cgroup, because a part
  /// of its value is behind the others: it may have passed an edge and nobody says so, or be said
  /// to have passed one and be far from it.
  [[nodiscard]] virtual bool is_behind(RowId row) const = 0;
  /// The value last seen, in the signal's own unit.
  [[nodiscard]] virtual std::uint64_t value(RowId row) const = 0;

  /// Readable (EPOLLIN) when drain() has something to say.
  [[nodiscard]] virtual int descriptor() const = 0;
  /// Says what there is to say now. Of more than somebody can wait for only the first part: the
  /// descriptor stays readable.
  virtual void drain(BackendSink& sink) = 0;
  [[nodiscard]] virtual BackendCounters counters() const = 0;
};

}  // namespace evictd::notify
