// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "evictd/load_stamps.h"
#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::load {

/// Reads the stamps of a running or dead `evict-load`.
/// Thread rule: one thread per object; any number of readers beside the writer.
class StampLog {
 public:
  /// Maps `path`. Errors: kNotFound; kMalformed if the file is no stamp log. A writer that has just
  /// started may not have written the header yet: try again.
  [[nodiscard]] static Result<StampLog> open(const std::string& path);

  StampLog(StampLog&& other) noexcept;
  StampLog& operator=(StampLog&& other) noexcept;
  StampLog(const StampLog&) = delete;
  StampLog& operator=(const StampLog&) = delete;
  ~StampLog();

  [[nodiscard]] std::int64_t pid() const;
  [[nodiscard]] LoadKind kind() const;
  [[nodiscard]] LoadState state() const;
  /// Units of `total` per batch.
  [[nodiscard]] std::uint64_t batch() const;

  /// Batches stamped so far, including those overwritten in the ring.
  [[nodiscard]] std::uint64_t count() const;
  /// Attempts at which nothing was possible, because of a limit or lack of space.
  [[nodiscard]] std::uint64_t refused() const;
  /// Those of them before the first SIGTERM; 0 for a load that does not ignore SIGTERM.
  [[nodiscard]] std::uint64_t refused_untold() const;
  /// The first batch that is still in the ring.
  [[nodiscard]] std::uint64_t first_kept() const;
  /// Batch `n`; nullopt if it is not written yet or already overwritten.
  [[nodiscard]] std::optional<LoadStamp> at(std::uint64_t n) const;
  /// The newest batch.
  [[nodiscard]] std::optional<LoadStamp> last() const;

  /// The first kept batch, starting at `from`, for which `condition` holds.
  [[nodiscard]] std::optional<LoadStamp> first_where(
      const std::function<bool(const LoadStamp&)>& condition, std::uint64_t from = 0) const;
  /// Units per second from the start of the first kept batch to the end of the last; 0 without
  /// batches.
  [[nodiscard]] double rate_per_second() const;

 private:
  StampLog(void* map, std::size_t bytes) : map_(map), bytes_(bytes) {}
  [[nodiscard]] const LoadStampHeader& header() const;

  void* map_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Converts a stamp to a moment of evictd's own clock.
[[nodiscard]] constexpr MonoTime to_mono_time(std::uint64_t stamp_ns) {
  return MonoTime{Duration{static_cast<Duration::rep>(stamp_ns)}};
}

}  // namespace evictd::load
