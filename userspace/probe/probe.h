// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "evictd/cgroup_id.h"
#include "evictd/result.h"
#include "evictd/usage.h"
#include "probe/backstop.h"
#include "probe/counters.h"
#include "probe/event_ring.h"
#include "probe/events.h"
#include "probe/ladder.h"
#include "probe/options.h"
#include "probe/usage_table.h"
#include "probe/watch.h"

namespace evictd::probe {

/// The kernel side, loaded and attached: BPF programs, their maps, the event ring.
///
/// It owns every link as a descriptor and pins nothing. Everything ends with the process, also on
/// SIGKILL.
///
/// To start without missing a pod: load(), set_roots(), scan the tree (watch() what is found), then
/// drain(). Events are queued from set_roots() on. A pod that appears during the scan is in the
/// scan, in the queue, or in both. So ignore kCreated for a known cgroup and kRemoved for an
/// unknown one.
///
/// Threads: methods under HOT are for one thread; they do not allocate, open files or hold locks.
/// Methods under HOUSEKEEPING are for one other thread. Both may run at the same time.
class Probe final : public EventRing, public UsageTable {
 public:
  /// Loads and attaches the best row of each purpose. Cost: 50..300 ms; housekeeping thread. Fails
  /// only if the ring, the rows and one detecting hook are not available: then poll. Errors:
  /// kInvalid: wrong options. The error's context has the cause;
  /// examine() returns a full report.
  [[nodiscard]] static Result<std::unique_ptr<Probe>> load(const Options& options);

  /// The report of a load() that is undone at once, also if it failed: for `evictctl doctor`.
  [[nodiscard]] static Ladder examine(const Options& options);

  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  ~Probe() override;

  /// What was chosen and why. Immutable after load(); any thread.
  [[nodiscard]] const Ladder& ladder() const;

  // HOT

  [[nodiscard]] int event_fd() const override;
  Drained drain(EventSink& sink) override;
  [[nodiscard]] Result<> refresh() override;
  [[nodiscard]] CgroupUsage row(std::uint32_t slot) const override;
  [[nodiscard]] NodeUsage node() const override;
  [[nodiscard]] Result<> resync() override;
  /// The sweep timer stands_still() at its base period: poll, and report it. False without a timer.
  [[nodiscard]] bool timer_stalled(MonoTime now) const;
  /// What can kill by a plan; nullptr without a row of Purpose::kBackstop.
  [[nodiscard]] Backstop* backstop();
  [[nodiscard]] const Backstop* backstop() const;
  /// Cheap subset of counters(): no program statistics. Any thread.
  [[nodiscard]] Counters counters() const;

  // HOUSEKEEPING

  /// Sets the parameters of NodeUsage::reserve; before the first call it is unknown.
  void set_guard(const GuardTerms& terms);
  /// Whether NodeUsage::reserve is known. With swap, only if the kernel reports its free part.
  [[nodiscard]] bool knows_reserve() const;
  /// Sets the cgroups whose subtrees CgroupChanged reports: at most 64. Replaces the earlier set.
  /// On an error, some of them are reported; repeat the call.
  [[nodiscard]] Result<> set_roots(std::span<const CgroupId> roots);
  /// Fills `slot` with the values of `pod` from the next refresh on, and returns the slot's
  /// generation. Replaces a slot in use. Errors: kNotFound: the cgroup is gone. kInvalid: the slot
  /// is out of range, or the cgroup is the root of a hierarchy. Cost: about 50 us.
  [[nodiscard]] Result<std::uint32_t> watch(std::uint32_t slot, const PodCgroup& pod);
  /// The kernel queries of watch(), which take most of its time. Any thread.
  [[nodiscard]] PodCounters resolve(const PodCgroup& pod) const;
  /// watch() with the answer for the same `pod`, whose descriptors are not used.
  [[nodiscard]] Result<std::uint32_t> watch(std::uint32_t slot, const PodCgroup& pod,
                                            const PodCounters& counters);
  /// Empties `slot`.
  [[nodiscard]] Result<> unwatch(std::uint32_t slot);
  /// Replaces all thresholds. An unchanged one keeps its state and is not reported again. A new one
  /// that is already exceeded is reported at once. Skips thresholds whose cgroup is gone, and
  /// returns their ids.
  [[nodiscard]] Result<std::vector<std::uint64_t>> set_thresholds(
      std::span<const WatchedThreshold> thresholds);
  /// Finds the statistics of all NUMA nodes with memory again. If one cannot be reached, node() has
  /// no memory values from then on. Errors: kIo.
  [[nodiscard]] Result<> locate_nodes();
  /// Statistics of each attached program.
  [[nodiscard]] std::vector<ProgramCounters> program_counters() const;

 private:
  struct Impl;
  explicit Probe(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evictd::probe
