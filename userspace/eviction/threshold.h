// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "evictd/time.h"
#include "eviction/quantity.h"
#include "eviction/signal.h"

namespace evictd::eviction {

/// An absolute value, or a share of the capacity.
struct ThresholdValue {
  /// Set for an absolute value, unset for a share.
  std::optional<Quantity> quantity;
  /// 0.1 for "10%". 32 bits like the kubelet's, which affects the results.
  float percentage = 0;

  /// Equal kind and equal value or share.
  [[nodiscard]] bool operator==(const ThresholdValue& other) const;
};

enum class ThresholdOperator : std::uint8_t {
  kNone,  ///< A derived entry without a source; such a threshold is never met.
  kLessThan,
};

/// A level that a signal must not fall below.
struct Threshold {
  Signal signal = Signal::kUnknown;
  ThresholdOperator op = ThresholdOperator::kLessThan;
  ThresholdValue value;
  /// How long the threshold must be met before evictd acts on it; zero: a hard threshold.
  Duration grace_period{0};
  /// Once acted on, it counts as met until `value` plus this is available.
  std::optional<ThresholdValue> min_reclaim;
  /// The signal that this threshold was derived from; its pause holds this one too. Unset for a
  /// configured threshold.
  std::optional<Signal> derived_from{};

  [[nodiscard]] bool is_hard() const { return grace_period == Duration::zero(); }
};

/// Whether the kubelet treats two thresholds as the same: min_reclaim does not count.
[[nodiscard]] bool same_threshold(const Threshold& a, const Threshold& b);

/// int64(double(capacity) * double(share)) as the kubelet computes it on amd64.
[[nodiscard]] std::int64_t share_of(std::int64_t capacity, float percentage);

/// `value` as a quantity at this capacity. A share is always BinarySI, for every signal.
[[nodiscard]] Quantity quantity_of(const ThresholdValue& value, std::int64_t capacity);

/// "100Mi" or "10%", for people.
[[nodiscard]] std::string to_string(const ThresholdValue& value);

}  // namespace evictd::eviction
