// SPDX-License-Identifier: Apache-2.0
#include "eviction/threshold.h"

#include <cmath>
#include <limits>

namespace evictd::eviction {

bool ThresholdValue::operator==(const ThresholdValue& other) const {
  if (quantity.has_value() != other.quantity.has_value()) {
    return false;
  }
  return quantity ? *quantity == *other.quantity : percentage == other.percentage;
}

bool same_threshold(const Threshold& a, const Threshold& b) {
  return a.signal == b.signal && a.op == b.op && a.grace_period == b.grace_period &&
         a.value == b.value;
}

std::int64_t share_of(std::int64_t capacity, float percentage) {
  const double share = static_cast<double>(capacity) * static_cast<double>(percentage);
  // What does not fit, NaN too, becomes the smallest number: that is what the processor's
  // conversion gives, and thereby what the kubelet compares with.
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (!(share >= -kTwoTo63 && share < kTwoTo63)) {
    return std::numeric_limits<std::int64_t>::min();
  }
  return static_cast<std::int64_t>(share);
}

Quantity quantity_of(const ThresholdValue& value, std::int64_t capacity) {
  return value.quantity ? *value.quantity
                        : Quantity(share_of(capacity, value.percentage), QuantityFormat::kBinarySI);
}

std::string to_string(const ThresholdValue& value) {
  if (value.quantity) {
    return value.quantity->to_string();
  }
  // Four digits after the point undo what 32 bits did to the configured number.
  const double percent = std::round(static_cast<double>(value.percentage) * 1e6) / 1e4;
  std::string text = std::to_string(percent);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) {
    text.pop_back();
  }
  return text + "%";
}

}  // namespace evictd::eviction
