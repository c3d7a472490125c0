// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "replay/recorded.h"

namespace evictd::replay {

/// When victims of a disk free it: when the recording has them released, so long after their end
/// where that is at another moment here. Where it tells nothing, nobody tells the engine either.
class DiskWait {
 public:
  /// `ends` as recorded_ends() has them, `evictions` as recorded_evictions():
  /// how long a disk is held is told only of those that were to free one.
  DiskWait(const Parts& parts, const std::vector<RecordedEnd>& ends,
           const std::vector<Eviction>& evictions);

  /// Whether a pod is ended when it was in the recording.
  enum class End { kAsRecorded, kOther };
  /// A victim is ended at `kill_at`, or when it would have been already.
  void begin(std::size_t pod, MonoTime kill_at, End end);

  /// Whether the files of `pod` are told to be gone by `now`.
  [[nodiscard]] bool is_released(std::size_t pod, MonoTime now) const;
  /// The next moment after `now` at which one is released.
  [[nodiscard]] std::optional<MonoTime> next_release(MonoTime now) const;
  /// When nobody is awaited any more; nothing without any.
  [[nodiscard]] std::optional<MonoTime> last_release() const;
  /// Victims of whom the recording does not tell how long they are awaited.
  [[nodiscard]] const std::set<std::size_t>& guessed() const { return guessed_; }

 private:
  struct Wait {
    MonoTime killed_at{};
    MonoTime released_at{};
  };

  [[nodiscard]] static std::optional<Wait> recorded_wait(const Parts& parts,
                                                         const RecordedEnd& end);

  /// By identity.
  std::map<std::size_t, Wait> recorded_;
  std::map<std::size_t, Wait> awaited_;
  std::set<std::size_t> guessed_;
};

}  // namespace evictd::replay
