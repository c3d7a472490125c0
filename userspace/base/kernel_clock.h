// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::base {

/// Turns what the kernel's own monotonic clock read, which is what bpf_ktime_get_ns() returns, into
/// moments of CLOCK_MONOTONIC as this process reads it. In a time namespace (time_namespaces(7))
/// the two differ, by an offset that does not change while processes are in it.
class KernelClock {
 public:
  /// For a process in no time namespace but the first: the clocks are one.
  KernelClock() = default;
  /// `offset`: CLOCK_MONOTONIC of this process less the kernel's.
  explicit KernelClock(Duration offset) : offset_(offset) {}

  /// The clock of this process. Source: /proc/self/ns/time and timens_offsets below `root`, empty
  /// for this machine; a kernel without them has no time namespaces.
  /// Errors: kUnsupported when this process is not in the namespace whose offsets the file has,
  /// that of its children; those of parse_monotonic_offset, with the file's name.
  [[nodiscard]] static Result<KernelClock> learn(const std::string& root);

  /// When the kernel's clock read `ktime_ns`; the epoch for 0, which stands for never.
  [[nodiscard]] MonoTime moment(std::uint64_t ktime_ns) const {
    return ktime_ns == 0 ? MonoTime{}
                         : MonoTime{Duration{static_cast<std::int64_t>(ktime_ns)} + offset_};
  }
  [[nodiscard]] Duration offset() const { return offset_; }

 private:
  Duration offset_{0};
};

/// The offset of CLOCK_MONOTONIC in the text of /proc/PID/timens_offsets: the line "monotonic",
/// then seconds, which may be negative, and nanoseconds. Errors: kMalformed when there is no such
/// line.
[[nodiscard]] Result<Duration> parse_monotonic_offset(std::string_view text);

}  // namespace evictd::base
