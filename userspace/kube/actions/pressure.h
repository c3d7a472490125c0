// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace evictd::kube {

/// A kind of pressure, and the words for it.
struct PressureKind {
  /// Of a node's condition, as a kubelet and evictd's journal call it.
  std::string_view condition;
  /// The same as a condition of our own.
  std::string_view own_condition;
  /// Key of the taint.
  std::string_view taint;
  /// Reasons and the end of the messages of the condition.
  std::string_view bad_reason;
  std::string_view good_reason;
  std::string_view bad_words;
  std::string_view good_words;
};

/// Keeps new pods off while evicted ones come again and again.
inline constexpr std::string_view kLoopTaint = "evictd.dev/eviction-loop";

inline constexpr std::array<PressureKind, 3> kPressureKinds = {
    {{"MemoryPressure", "EvictdMemoryPressure", "evictd.dev/memory-pressure",
      "HasInsufficientMemory", "HasSufficientMemory", "has insufficient memory available",
      "has sufficient memory available"},
     {"DiskPressure", "EvictdDiskPressure", "evictd.dev/disk-pressure", "HasDiskPressure",
      "HasNoDiskPressure", "has disk pressure", "has no disk pressure"},
     {"PIDPressure", "EvictdPIDPressure", "evictd.dev/pid-pressure", "HasInsufficientPID",
      "HasSufficientPID", "has insufficient PID available", "has sufficient PID available"}}};

/// Of each of kPressureKinds, as evictd told last.
struct Pressure {
  struct One {
    bool is_set = false;
    /// When it became so, RFC 3339; empty if that was never told.
    std::string since{};

    bool operator==(const One&) const = default;
  };
  std::array<One, kPressureKinds.size()> kinds{};
  /// New pods are kept off because of a loop of evictions; no record tells that.
  bool is_damped = false;

  bool operator==(const Pressure&) const = default;
};

}  // namespace evictd::kube
