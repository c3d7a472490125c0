// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/bytes.h"
#include "evictd/result.h"
#include "oom_race/plan.h"

namespace evictd::bench {

/// Swap on /dev/zram0 or on a file of the machine's disk, switched off again when the object is
/// destroyed. For a machine of the bench's own only.
class RaceSwap {
 public:
  /// `kind` is not kNone. Errors: kBusy if the device is in use; kNotFound without one; kExhausted
  /// where the disk has no room; what mkswap and swapon say.
  static Result<RaceSwap> start(SwapKind kind, Bytes size);

  RaceSwap(const RaceSwap&) = delete;
  RaceSwap& operator=(const RaceSwap&) = delete;
  RaceSwap(RaceSwap&& other) noexcept;
  RaceSwap& operator=(RaceSwap&&) = delete;
  ~RaceSwap();

 private:
  explicit RaceSwap(SwapKind kind) : kind_(kind) {}

  /// kNone: another object has it.
  SwapKind kind_;
};

}  // namespace evictd::bench
