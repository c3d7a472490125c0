// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "evictd/cgroup_id.h"
#include "evictd/result.h"
#include "evictd/usage.h"
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
/// It owns every link as a descriptor and pins nothing, so that all of it goes with the process,
/// also on SIGKILL.
///
/// Starting without missing a pod: load(), set_roots(), then scan the tree (watch() what is found),
/// then drain(). Events are queued from set_roots() on; each pod that appears during the scan is in
/// the scan, in the queue, or in both, so treat kCreated for a known cgroup and kRemoved for an
/// unknown one as nothing new.
///
/// Threads: methods under HOT are for one thread (no allocation, no file is opened, no lock is
/// held); those under HOUSEKEEPING are for one other thread; both may run at once.
class Probe final : public EventRing, public UsageTable {
 public:
  /// Loads the best row for each purpose and attaches. 50..300 ms; housekeeping thread. Fails only
  /// when not even the ring, the rows and one detecting hook can be had: then poll. kInvalid: wrong
  /// options. The error's context says why; `attempt()` gives the whole report of the same attempt.
  [[nodiscard]] static Result<std::unique_ptr<Probe>> load(const Options& options);

  /// The report of a load() that is undone at once, also when it failed: for `evictctl doctor`.
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
  /// Cheap subset of counters(): no program statistics. Any thread.
  [[nodiscard]] Counters counters() const;

  // HOUSEKEEPING

  /// By what NodeUsage::reserve is worked out from now on; before, it is not known.
  void set_guard(const GuardTerms& terms);
  /// Whether it is: where there is swap, only if the kernel tells how much of it is free.
  [[nodiscard]] bool knows_reserve() const;
  /// Cgroups whose subtree is reported by CgroupChanged: at most 64. Replaces the earlier set. On
  /// an error those that could be told of are reported, and the call is to be made again.
  [[nodiscard]] Result<> set_roots(std::span<const CgroupId> roots);
  /// Fills `slot` with the values of `pod` from the next refresh on and returns the slot's
  /// generation. A slot in use is replaced. kNotFound: the cgroup is gone already. kInvalid: slot
  /// out of range, or the root of a hierarchy. About 50 us.
  [[nodiscard]] Result<std::uint32_t> watch(std::uint32_t slot, const PodCgroup& pod);
  /// What watch() has to ask the kernel for, which is most of its time. Any thread.
  [[nodiscard]] PodCounters resolve(const PodCgroup& pod) const;
  /// watch() with the answer for the same `pod`, whose descriptors are not used.
  [[nodiscard]] Result<std::uint32_t> watch(std::uint32_t slot, const PodCgroup& pod,
                                            const PodCounters& counters);
  /// Empties `slot`.
  [[nodiscard]] Result<> unwatch(std::uint32_t slot);
  /// Replaces all thresholds. One that is given again unchanged keeps its state and is not reported
  /// again; a new one that is exceeded already is reported at once. A cgroup that is gone is
  /// skipped and its id is added to the answer: the ids of thresholds that cannot be watched.
  [[nodiscard]] Result<std::vector<std::uint64_t>> set_thresholds(
      std::span<const WatchedThreshold> thresholds);
  /// Finds the statistics of all NUMA nodes with memory anew. Where one cannot be reached node()
  /// has no memory from then on. Errors: kIo.
  [[nodiscard]] Result<> locate_nodes();
  /// What each attached program did.
  [[nodiscard]] std::vector<ProgramCounters> program_counters() const;

 private:
  struct Impl;
  explicit Probe(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evictd::probe
