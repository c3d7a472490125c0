// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "evictd/bytes.h"

namespace evictd::enforce {

class KillTarget;

/// What became of the bridge over a grace period.
enum class BridgeState : std::uint8_t {
  kNotWanted,
  kSet,         ///< memory.high is lowered.
  kNoFile,      ///< No memory.high could be opened: v1, or no memory controller on v2.
  kUnreadable,  ///< memory.high or the pod's usage could not be read.
  kLowAlready,  ///< memory.high holds the pod back already: unchanged.
  kNotNoted,    ///< A restart would lose the former value: unchanged.
  kRefused,     ///< The kernel refused the lower value.
};
inline constexpr std::size_t kBridgeStateCount = 7;

/// "no_memory_high", "unreadable", "low_already", "not_noted", "refused"; empty for the first two.
[[nodiscard]] std::string_view to_string(BridgeState state);

/// memory.high without a limit, "max".
inline constexpr Bytes kNoHigh{std::numeric_limits<std::int64_t>::max()};

struct BridgeReport {
  BridgeState state = BridgeState::kNotWanted;
  /// With kSet: memory.high before and since; kNoHigh for "max".
  Bytes before{};
  Bytes set{};
};

/// How a bridge ended.
enum class BridgeEnd : std::uint8_t {
  kNothing,  ///< There was none, its cgroup is gone, or another writer changed memory.high.
  kPutBack,  ///< memory.high has its former value.
  kFailed,   ///< It could not be written.
};

/// memory.high of a victim on v2, lowered for its grace period: growth beyond it is throttled, and
/// all else runs on, a handler of SIGTERM too. Allocates nothing. Thread rule: as its target.
class Bridge {
 public:
  /// Reads the bytes charged to the pod; nullopt if unreadable.
  using UsageNow = std::function<std::optional<Bytes>()>;

  /// `file`: memory.high of the pod, open for reading and writing; empty for none.
  void use(base::Fd file) { file_ = std::move(file); }
  void close() { file_.reset(); }

  /// Lowers memory.high to what the pod uses and a little more, so that the write reclaims nothing
  /// in the calling thread. Notes the former value on the file before. Call it after SIGTERM: a
  /// throttled task sleeps in the kernel for up to 2 s, which only SIGKILL ends.
  /// Cost: three system calls and two of `usage_now`.
  [[nodiscard]] BridgeReport set(const UsageNow& usage_now);
  /// Whether put_back() would reclaim in the calling thread: the pod uses more than its former
  /// value. Unknown usage counts as more.
  [[nodiscard]] bool end_would_reclaim(const UsageNow& usage_now) const;
  /// Restores the former value if memory.high still has the lower one, and removes the note.
  BridgeEnd put_back();
  /// Takes over the end of `older`, a bridge of the same cgroup.
  void continue_from(Bridge& older);
  /// Takes over the end of a bridge that an earlier evictd left, by the note on the file.
  void recall();

 private:
  struct Lowered {
    Bytes before;
    Bytes set;
  };

  base::Fd file_;
  std::optional<Lowered> lowered_;
};

/// Ends a bridge that an earlier evictd left on the pod's cgroup, whether the eviction continues or
/// not. Opens files: for the main thread, before the hot thread has the target.
BridgeEnd restore_memory_high(const KillTarget& target);

}  // namespace evictd::enforce
