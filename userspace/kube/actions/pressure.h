// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace evictd::kube {

/// A kind of pressure and its names.
struct PressureKind {
  /// The node condition's type, as the kubelet and evictd's journal spell it.
  std::string_view condition;
  /// The type of evictd's own condition for the same pressure.
  std::string_view own_condition;
  /// Key of the taint.
  std::string_view taint;
  /// Reasons of the condition, and the end of its messages.
  std::string_view bad_reason;
  std::string_view good_reason;
  std::string_view bad_words;
  std::string_view good_words;
};

/// Keeps new pods off the node while evicted pods are recreated again and again.
inline constexpr std::string_view kLoopTaint = "evictd.dev/eviction-loop";

inline constexpr std::array<PressureKind, 3> kPressureKinds = {
    {{"MemoryPressure", "EvictdMemoryPressure", "evictd.dev/memory-pressure",
      "HasInsufficientMemory", "HasSufficientMemory", "has insufficient memory available",
      "has sufficient memory available"},
     {"DiskPressure", "EvictdDiskPressure", "evictd.dev/disk-pressure", "HasDiskPressure",
      "HasNoDiskPressure", "has disk pressure", "has no disk pressure"},
     {"PIDPressure", "EvictdPIDPressure", "evictd.dev/pid-pressure", "HasInsufficientPID",
      "HasSufficientPID", "has insufficient PID available", "has sufficient PID available"}}};

/// The state of each of kPressureKinds, as evictd last reported it.
struct Pressure {
  struct One {
    bool is_set = false;
    /// Start of the current state, RFC 3339; empty if it was never reported.
    std::string since{};

    bool operator==(const One&) const = default;
  };
  std::array<One, kPressureKinds.size()> kinds{};
  /// New pods are kept off because of an eviction loop. No record reports this.
  bool is_damped = false;

  bool operator==(const Pressure&) const = default;
};

}  // namespace evictd::kube
