// SPDX-License-Identifier: Apache-2.0
#include "eviction/forecast.h"

#include <algorithm>
#include <limits>

namespace evictd::eviction {
namespace {

/// What is farther away than this is another pass's business.
constexpr Duration kFarthestLook = std::chrono::seconds(30);
/// A look costs a pass: more often than this is not worth it.
constexpr Duration kNearestLook = std::chrono::milliseconds(10);
/// A pod that grows slower than this part of a fall does not explain it.
constexpr std::int64_t kLeastPart = 10;

std::optional<Duration> lasts(Wide amount, std::int64_t rate) {
  if (rate <= 0) {
    return std::nullopt;
  }
  const Wide ns = std::max<Wide>(amount, 0) * std::nano::den / rate;
  return Duration(
      static_cast<std::int64_t>(std::min<Wide>(ns, std::numeric_limits<std::int64_t>::max() / 2)));
}

std::optional<Duration> until_guard(const KernelReserve& reserve) {
  return lasts(Wide{reserve.left} - guard_distance(reserve), reserve.rate);
}

}  // namespace

std::optional<Duration> time_left(const KernelReserve& reserve) {
  return lasts(reserve.left, reserve.rate);
}

Wide guard_distance(const KernelReserve& reserve) {
  const Wide rate = std::max<std::int64_t>(reserve.rate, 0);
  return std::max(rate * kGuardHorizon.count() / std::milli::den,
                  std::min(Wide{reserve.tight}, rate * kTightHorizon.count() / std::milli::den));
}

bool guard_is_due(const KernelReserve& reserve) {
  return Wide{reserve.left} < guard_distance(reserve);
}

std::optional<Duration> next_guard_look(const KernelReserve& reserve) {
  const std::optional<Duration> left = until_guard(reserve);
  if (!left || *left > kFarthestLook) {
    return std::nullopt;
  }
  return std::max(kNearestLook, *left / 2);
}

std::optional<Duration> time_to_threshold(const Observation& seen, Wide limit) {
  if (Wide{seen.available} < limit) {
    return Duration{0};
  }
  const std::optional<Duration> time = lasts(Wide{seen.available} - limit, seen.rate.value_or(0));
  return time && *time <= kFarthestThreshold ? time : std::nullopt;
}

std::optional<std::size_t> cause_of_fall(std::span<const std::int64_t> growth, std::int64_t fall) {
  const auto fastest = std::max_element(growth.begin(), growth.end());
  if (fall <= 0 || fastest == growth.end() || *fastest <= 0 || *fastest < fall / kLeastPart) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(fastest - growth.begin());
}

std::optional<Duration> time_for_grace(const Observation& seen, Wide floor, bool guarded) {
  std::optional<Duration> time;
  if (seen.rate) {
    time = lasts(Wide{seen.left()} - floor, *seen.rate);
  }
  if (guarded && seen.reserve) {
    if (const std::optional<Duration> until = until_guard(*seen.reserve)) {
      time = time ? std::min(*time, *until) : until;
    }
  }
  return time;
}

std::chrono::milliseconds grace_within(std::chrono::milliseconds wanted,
                                       std::optional<Duration> left) {
  if (!left || *left >= wanted) {
    return wanted;
  }
  const Duration given = std::max<Duration>(*left - kGraceMargin, Duration{0});
  return std::min(wanted, std::chrono::floor<std::chrono::milliseconds>(given));
}

}  // namespace evictd::eviction
