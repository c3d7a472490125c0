// SPDX-License-Identifier: Apache-2.0
#include "engine/eviction_times.h"

#include <algorithm>

namespace evictd::engine {

void EvictionTimes::add(MonoTime at, bool dry_run) {
  if (size_ == kKept) {
    std::move(at_.begin() + 1, at_.end(), at_.begin());
    std::move(dry_run_.begin() + 1, dry_run_.end(), dry_run_.begin());
    --size_;
  }
  at_[size_] = at;
  dry_run_[size_] = dry_run;
  ++size_;
  ++changes_;
}

void EvictionTimes::forget_dry_runs() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (!dry_run_[i]) {
      at_[kept] = at_[i];
      dry_run_[kept++] = false;
    }
  }
  size_ = kept;
  ++changes_;
}

std::vector<MonoTime> EvictionTimes::real_within(Duration window, MonoTime now) const {
  std::vector<MonoTime> real;
  for (std::size_t i = 0; i < size_; ++i) {
    if (!dry_run_[i] && now - at_[i] < window) {
      real.push_back(at_[i]);
    }
  }
  return real;
}

std::size_t EvictionTimes::within(Duration window, MonoTime now) const {
  const std::span<const MonoTime> known = all();
  return static_cast<std::size_t>(
      std::count_if(known.begin(), known.end(), [&](MonoTime at) { return now - at < window; }));
}

}  // namespace evictd::engine
