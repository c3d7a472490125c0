// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "oom_race/plan.h"

namespace evictd::bench {

/// Swap on /dev/zram0 or on a file of the machine's disk; the destructor switches it off. Only for
/// a machine that the bench owns.
class RaceSwap {
 public:
  /// `kind` is not kNone. Errors: kBusy if the device is in use; kNotFound without one; kExhausted
  /// if the disk is too small; those of mkswap and swapon.
  static Result<RaceSwap> start(SwapKind kind, Bytes size);

  RaceSwap(const RaceSwap&) = delete;
  RaceSwap& operator=(const RaceSwap&) = delete;
  RaceSwap(RaceSwap&& other) noexcept;
  RaceSwap& operator=(RaceSwap&&) = delete;
  ~RaceSwap();

 private:
  explicit RaceSwap(SwapKind kind) : kind_(kind) {}

  /// kNone: moved to another object.
  SwapKind kind_;
};

}  // namespace evictd::bench
