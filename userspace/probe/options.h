// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "evictd/bytes.h"
#include "evictd/time.h"
#include "probe/ladder.h"

namespace evictd::probe {

/// The in-kernel timer that checks thresholds.
struct SweepOptions {
  /// Period of ticks while no threshold is near. Each tick costs 2..16 us of one CPU.
  Duration base_period = std::chrono::milliseconds{100};
  /// Shortest period of the fast ticks that follow a kick.
  Duration floor = std::chrono::microseconds{20};
  /// How long a kick causes fast ticks.
  Duration kick_window = std::chrono::milliseconds{10};
  /// The charge hook kicks the timer when a threshold is nearer than this.
  Bytes near_distance = Bytes{4LL << 20};
  /// Assumed fastest growth and fall, bytes a second: twice the zeroing bandwidth measured with
  /// transparent huge pages (16 GB/s), and the rate at which they are freed.
  std::uint64_t rate_up = 32'000'000'000;
  std::uint64_t rate_down = 64'000'000'000;
  /// Fast ticks allowed in a row and, in any steady state, per second: 400 of 16 us are 0.64 % of a
  /// core.
  std::uint32_t fast_tick_burst = 256;
  std::uint32_t fast_ticks_per_second = 400;
};

struct Options {
  SweepOptions sweep{};
  /// Row of a purpose by name ("tp_btf"), or "none" to leave it unserved. Anything else is
  /// kInvalid, with the allowed names in the message. No other row replaces a pinned row that
  /// fails.
  std::map<Purpose, std::string> pins{};
  /// Also hooks every page's statistics. Finds a crossing within 16 pages (64 KiB) per CPU; costs
  /// 7..10 % of a page fault.
  bool per_page_hook = false;
  /// Loads what can kill by a plan (backstop.h). Without a plan it costs a load and a comparison a
  /// charge.
  bool backstop = false;
  /// Nobody asked for `backstop`: where the kernel has no row for it, nothing is lost. A pin asks.
  bool backstop_by_default = false;
  /// Slots: watch() takes 0 .. max_slots - 1.
  std::uint32_t max_slots = 2048;
  /// Most (cgroup, signal) pairs with thresholds, and most thresholds in total.
  std::uint32_t max_watches = 4096;
  std::uint32_t max_thresholds = 16384;
  /// Bytes of the event ring; a power of two and at least one page.
  std::uint32_t ring_bytes = 256 * 1024;
  /// A cgroup that loses this much time within `stall_window` is reported as StallRising, at most
  /// once a window.
  Duration stall_notice = std::chrono::milliseconds{50};
  Duration stall_window = std::chrono::seconds{1};
  /// A threshold that recent growth would reach within this time is reported as Approach; zero:
  /// never.
  Duration approach = std::chrono::milliseconds{1};
  /// BTF for the relocation of the programs, instead of /sys/kernel/btf/vmlinux. The kernel's own
  /// BTF is still needed: tracing programs and iterators are attached by its types.
  std::string custom_btf_path{};
  /// The kernel side reads counters directly if the kernel permits it (KernelTypes). False, for
  /// tests: as on a kernel that does not.
  bool direct_reads = true;
  /// For tests: the programs for kernels before 6.1, on any kernel.
  bool bounded_programs = false;
  /// Fault for tests: drain() drops every record.
  bool drop_all_events = false;
};

}  // namespace evictd::probe
