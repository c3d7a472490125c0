// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "evictd/result.h"
#include "evictd/time.h"

namespace evictd::base {

/// Converts the kernel's monotonic clock (bpf_ktime_get_ns()) to CLOCK_MONOTONIC of this process.
/// The two differ in a time namespace (time_namespaces(7)). Their offset does not change while the
/// namespace has processes.
class KernelClock {
 public:
  /// For a process in the initial time namespace: both clocks are the same.
  KernelClock() = default;
  /// `offset`: this process's CLOCK_MONOTONIC minus the kernel's.
  explicit KernelClock(Duration offset) : offset_(offset) {}

  /// The clock of this process. Source: /proc/self/ns/time and timens_offsets below `root`; an
  /// empty `root` is this machine. A kernel without these files has no time namespaces.
  /// Errors: kUnsupported if this process is not in the namespace that the file describes, which is
  /// the namespace of its children; those of parse_monotonic_offset, with the file's name.
  [[nodiscard]] static Result<KernelClock> learn(const std::string& root);

  /// The moment at which the kernel's clock read `ktime_ns`. 0 means never and gives the epoch.
  [[nodiscard]] MonoTime moment(std::uint64_t ktime_ns) const {
    return ktime_ns == 0 ? MonoTime{}
                         : MonoTime{Duration{static_cast<std::int64_t>(ktime_ns)} + offset_};
  }
  /// What the kernel's clock reads at `moment`.
  [[nodiscard]] std::uint64_t ktime_ns(MonoTime moment) const {
    return static_cast<std::uint64_t>((moment.time_since_epoch() - offset_).count());
  }
  [[nodiscard]] Duration offset() const { return offset_; }

 private:
  Duration offset_{0};
};

/// The offset of CLOCK_MONOTONIC from the text of /proc/PID/timens_offsets. Its line has
/// "monotonic", seconds (may be negative) and nanoseconds. Errors: kMalformed without such a line.
[[nodiscard]] Result<Duration> parse_monotonic_offset(std::string_view text);

}  // namespace evictd::base
