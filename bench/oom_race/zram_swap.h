// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evictd/bytes.h"
#include "evictd/result.h"

namespace evictd::bench {

/// Swap on /dev/zram0, switched off again when the object is destroyed. For a machine of the
/// bench's own only.
class ZramSwap {
 public:
  /// Errors: kBusy if the device is in use; kNotFound without one; what mkswap and swapon say.
  static Result<ZramSwap> start(Bytes size);

  ZramSwap(const ZramSwap&) = delete;
  ZramSwap& operator=(const ZramSwap&) = delete;
  ZramSwap(ZramSwap&& other) noexcept;
  ZramSwap& operator=(ZramSwap&&) = delete;
  ~ZramSwap();

 private:
  ZramSwap() = default;

  bool owned_ = true;
};

}  // namespace evictd::bench
