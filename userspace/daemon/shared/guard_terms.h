// SPDX-License-Identifier: Apache-2.0
// What the OOM guard watches, as far as it is worked out from files.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "evictd/time.h"
#include "evictd/usage.h"
#include "eviction/observation.h"
#include "probe/watch.h"
#include "sys/reserve_terms.h"

namespace evictd::daemon {

/// The latest terms that housekeeping read, for the hot thread, which opens no file. Thread rule:
/// housekeeping calls put(), the hot thread get().
class GuardTermsBoard {
 public:
  void put(const sys::ReserveTerms& terms);
  /// nullopt before the first put(). May mix two versions, which is as accurate as either.
  [[nodiscard]] std::optional<sys::ReserveTerms> get() const;

 private:
  std::atomic<std::int64_t> min_{-1};
  std::atomic<std::int64_t> low_{0};
  std::atomic<std::int64_t> swap_permille_{0};
};

/// The same for the kernel side, with the horizons of eviction/forecast.h.
[[nodiscard]] probe::GuardTerms guard_terms(const sys::ReserveTerms& terms);

struct Reserve {
  /// What the kernel can still give before its watermarks; docs/eviction.md has the formula.
  Bytes left{0};
  /// The same without the watermarks. Its fall is the rate, so that a page that changes its kind
  /// does not count.
  Bytes sum{0};
};

/// Computed from /proc/meminfo. nullopt if the reading lacks a value.
[[nodiscard]] std::optional<Reserve> reserve_of(const NodeUsage& node,
                                                const sys::ReserveTerms& terms);

/// How fast a value falls between readings, units a second; 0 while it does not fall.
class FallRate {
 public:
  /// nullopt before the second reading. Readings within 10 ms form one window, as in the kernel
  /// side: a shorter one measures a batch's rate. Returns the smaller rate of two windows, so that
  /// a single step is no rate.
  std::optional<std::int64_t> see(std::int64_t amount, MonoTime now);
  void forget() { *this = FallRate(); }

 private:
  std::optional<MonoTime> from_;
  std::int64_t from_amount_ = 0;
  std::optional<std::int64_t> rate_;
  std::int64_t last_rate_ = 0;
};

}  // namespace evictd::daemon
