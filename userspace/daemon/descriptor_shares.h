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

/// Raises the soft limit to the hard one: with many pods all of it is needed.
[[nodiscard]] Result<DescriptorLimit> raise_descriptor_limit();

/// Has the kernel make its table of this process's descriptors as large as a full node needs,
/// within `limit`: 256 KiB. It does that at each doubling otherwise, and where there are several
/// threads all that open something wait for an RCU grace period then, milliseconds each. Call it
/// before there are others. What cannot be had is made when it is needed, as ever.
void make_room_for_descriptors(std::uint64_t limit);

/// Says for what the descriptors of this process may be used, so that many pods cannot leave none
/// for signals, sockets and the log. Nothing is counted: the kernel gives out the lowest number
/// that is free, so whoever asks before it opens stays below a bound, but for what it opens then.
class DescriptorShares {
 public:
  /// `limit` as RLIMIT_NOFILE.
  explicit DescriptorShares(std::uint64_t limit);

  /// Descriptors for signalling may be kept.
  [[nodiscard]] bool may_prepare() const { return next() < prepare_below_; }
  /// Files to read usage from may be kept.
  [[nodiscard]] bool may_keep_files() const { return next() < files_below_; }
  /// For how many more pods may_prepare() will be true, about.
  [[nodiscard]] std::uint64_t room() const;

 private:
  /// The number that the next descriptor gets; the greatest there is when there is none.
  [[nodiscard]] static std::uint64_t next();

  std::uint64_t prepare_below_;
  std::uint64_t files_below_;
};

}  // namespace evictd::daemon
