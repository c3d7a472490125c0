// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "evictd/time.h"
#include "eviction/quantity.h"
#include "eviction/signal.h"

namespace evictd::eviction {

/// An amount, or a share of the capacity.
struct ThresholdValue {
  /// Set for an amount, unset for a share.
  std::optional<Quantity> quantity;
  /// 0.1 for "10%"; 32 bits wide because the kubelet's is, which shows in what comes out.
  float percentage = 0;

  /// Equal kind and equal amount or share.
  [[nodiscard]] bool operator==(const ThresholdValue& other) const;
};

enum class ThresholdOperator : std::uint8_t {
  kNone,  ///< Of a derived entry without a source; such a threshold is never met.
  kLessThan,
};

/// A line that a signal must not fall below.
struct Threshold {
  Signal signal = Signal::kUnknown;
  ThresholdOperator op = ThresholdOperator::kLessThan;
  ThresholdValue value;
  /// How long the threshold must be met before it is acted on; zero makes it a hard one.
  Duration grace_period{0};
  /// Once acted on, it counts as met until this much above `value` is available.
  std::optional<ThresholdValue> min_reclaim;
  /// The signal whose threshold this one was made from, and whose pause holds it too; unset for one
  /// of the user's own.
  std::optional<Signal> derived_from{};

  [[nodiscard]] bool is_hard() const { return grace_period == Duration::zero(); }
};

/// Whether two thresholds are one to the kubelet: min_reclaim does not count.
[[nodiscard]] bool same_threshold(const Threshold& a, const Threshold& b);

/// int64(double(capacity) * double(share)) as the kubelet computes it on amd64.
[[nodiscard]] std::int64_t share_of(std::int64_t capacity, float percentage);

/// The amount that `value` stands for at this capacity; a share is written as BinarySI whatever the
/// signal.
[[nodiscard]] Quantity quantity_of(const ThresholdValue& value, std::int64_t capacity);

/// "100Mi" or "10%", for people.
[[nodiscard]] std::string to_string(const ThresholdValue& value);

}  // namespace evictd::eviction
