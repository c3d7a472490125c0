// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "evictd/result.h"

namespace evictd::daemon {

/// RLIMIT_NOFILE of this process before and after raise_descriptor_limit().
struct DescriptorLimit {
  std::uint64_t before = 0;
  std::uint64_t now = 0;
};

/// Raises the soft limit to the hard limit: a node with many pods needs all of it.
[[nodiscard]] Result<DescriptorLimit> raise_descriptor_limit();

/// Makes the kernel grow this process's descriptor table at once to what a full node needs, within
/// `limit`: 256 KiB. Otherwise the kernel grows it at each doubling. In a process with several
/// threads, all threads that open something then wait milliseconds for an RCU grace period. Call it
/// before starting threads. If the growth fails, the kernel grows the table on demand as usual.
void make_room_for_descriptors(std::uint64_t limit);

/// Limits what descriptors may be used for, so that many pods cannot take those for signals,
/// sockets and the log. It counts nothing. The kernel assigns the lowest free number, so a caller
/// that asks before it opens stays below a bound, except for what it opens then.
class DescriptorShares {
 public:
  /// `limit` as RLIMIT_NOFILE.
  explicit DescriptorShares(std::uint64_t limit);

  /// Whether descriptors for signalling may be kept.
  [[nodiscard]] bool may_prepare() const { return next() < prepare_below_; }
  /// Whether files for usage readings may be kept.
  [[nodiscard]] bool may_keep_files() const { return next() < files_below_; }
  /// For about how many more pods may_prepare() will be true.
  [[nodiscard]] std::uint64_t room() const;

 private:
  /// The number that the next descriptor gets; the maximum if none is left.
  [[nodiscard]] static std::uint64_t next();

  std::uint64_t prepare_below_;
  std::uint64_t files_below_;
};

}  // namespace evictd::daemon
