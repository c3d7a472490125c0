// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "eviction/observation.h"
#include "eviction/threshold.h"

namespace evictd::eviction {

/// Most thresholds of a configuration: nine signals, hard and soft, and some spare room.
inline constexpr std::size_t kMaxThresholds = 64;

/// An ordered list of places in a ThresholdTable, without heap memory: passes copy and compare it.
class ThresholdList {
 public:
  /// Appends. Places are not repeated, so the list never exceeds kMaxThresholds.
  void add(std::size_t index) { places_.at(size_++) = static_cast<std::uint8_t>(index); }
  [[nodiscard]] bool has(std::size_t index) const;
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::uint8_t front() const { return places_.front(); }
  [[nodiscard]] std::uint8_t* begin() { return places_.data(); }
  [[nodiscard]] std::uint8_t* end() { return places_.data() + size_; }
  [[nodiscard]] const std::uint8_t* begin() const { return places_.data(); }
  [[nodiscard]] const std::uint8_t* end() const { return places_.data() + size_; }
  [[nodiscard]] bool operator==(const ThresholdList& other) const;

 private:
  std::array<std::uint8_t, kMaxThresholds> places_{};
  std::size_t size_ = 0;
};

/// Whether a threshold counts as met below its value, or below value plus minimum reclaim.
enum class MinReclaim : std::uint8_t { kIgnored, kEnforced };

/// The thresholds of a configuration, prepared so that the pass compares only integers.
class ThresholdTable {
 public:
  ThresholdTable() = default;
  /// Errors: kInvalid for more than kMaxThresholds.
  [[nodiscard]] static Result<ThresholdTable> create(std::vector<Threshold> thresholds);

  [[nodiscard]] std::size_t size() const { return thresholds_.size(); }
  [[nodiscard]] bool empty() const { return thresholds_.empty(); }
  [[nodiscard]] const Threshold& operator[](std::size_t index) const { return thresholds_[index]; }
  [[nodiscard]] std::span<const Threshold> all() const { return thresholds_; }
  /// Every place, in order.
  [[nodiscard]] const ThresholdList& places() const { return places_; }

  /// The smallest available value at which the threshold is not met at this capacity.
  [[nodiscard]] Wide limit(std::size_t index, std::int64_t capacity, MinReclaim min_reclaim) const;
  /// Whether the observation is below the limit. Equality is not met.
  [[nodiscard]] bool met(std::size_t index, const Observation& observation,
                         MinReclaim min_reclaim) const;
  /// Whether the kubelet treats the thresholds at two places as the same.
  [[nodiscard]] bool same(std::size_t a, std::size_t b) const { return kind_[a] == kind_[b]; }
  /// Position of the threshold in the order of action: 0 is first.
  [[nodiscard]] std::uint8_t order(std::size_t index) const { return order_[index]; }

 private:
  /// A threshold in integers. Available values are integers, so rounding a limit up changes no
  /// comparison.
  struct Limits {
    Wide whole = 0;
    Wide whole_with_reclaim = 0;
    std::optional<float> share;
    std::optional<float> reclaim_share;
  };

  void add_limits(const Threshold& threshold);
  void sort_order();

  std::vector<Threshold> thresholds_;
  std::vector<Limits> limits_;
  std::vector<std::uint8_t> kind_;  // first place that holds the same threshold
  std::vector<std::uint8_t> order_;
  ThresholdList places_;
};

}  // namespace evictd::eviction
