// SPDX-License-Identifier: Apache-2.0
#include "daemon/shared/guard_terms.h"

#include <algorithm>

#include "eviction/forecast.h"
#include "poll/growth.h"

namespace evictd::daemon {
namespace {

constexpr Duration kWindow = std::chrono::milliseconds(10);
constexpr std::int64_t kPermille = 1000;

std::int64_t less_kept(Bytes pages, Bytes low) {
  return pages.value - std::min(pages.value / 2, low.value);
}

}  // namespace

void GuardTermsBoard::put(const sys::ReserveTerms& terms) {
  low_.store(terms.watermarks.low.value, std::memory_order_relaxed);
  swap_permille_.store(terms.swap_permille, std::memory_order_relaxed);
  min_.store(terms.watermarks.min.value, std::memory_order_release);
}

std::optional<sys::ReserveTerms> GuardTermsBoard::get() const {
  const std::int64_t min = min_.load(std::memory_order_acquire);
  if (min < 0) {
    return std::nullopt;
  }
  return sys::ReserveTerms{
      .watermarks = {.min = Bytes{min}, .low = Bytes{low_.load(std::memory_order_relaxed)}},
      .swap_permille = swap_permille_.load(std::memory_order_relaxed)};
}

probe::GuardTerms guard_terms(const sys::ReserveTerms& terms) {
  return {.min = terms.watermarks.min,
          .low = terms.watermarks.low,
          .swap_permille = terms.swap_permille,
          .horizon = eviction::kGuardHorizon,
          .tight_horizon = eviction::kTightHorizon};
}

std::optional<Reserve> reserve_of(const NodeUsage& node, const sys::ReserveTerms& terms) {
  if (node.mem_free.value < 0 || node.file_pages.value < 0 || node.reclaimable.value < 0) {
    return std::nullopt;
  }
  const Bytes swap{std::max<std::int64_t>(node.swap_free.value, 0) / kPermille *
                   terms.swap_permille};
  const Bytes low = terms.watermarks.low;
  return Reserve{
      .left = Bytes{std::max<std::int64_t>(0, node.mem_free.value - terms.watermarks.min.value) +
                    less_kept(node.file_pages, low) + less_kept(node.reclaimable, low)} +
              swap,
      .sum = node.mem_free + node.file_pages + node.reclaimable + swap};
}

std::optional<std::int64_t> FallRate::see(std::int64_t amount, MonoTime now) {
  if (from_ && now - *from_ < kWindow) {
    return rate_;
  }
  if (from_) {
    // A fall of the remainder is a growth of usage.
    const std::int64_t rate = std::max<std::int64_t>(
        0, poll::growth_per_second(std::int64_t{0}, *from_, from_amount_ - amount, now));
    rate_ = std::min(rate, last_rate_);
    last_rate_ = rate;
  }
  from_ = now;
  from_amount_ = amount;
  return rate_;
}

}  // namespace evictd::daemon
