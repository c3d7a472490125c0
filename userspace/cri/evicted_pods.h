// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "evictd/time.h"

namespace evictd::cri {

/// A pod whose processes evictd has killed.
struct EvictedPod {
  /// Id of the decision.
  std::int64_t id = 0;
  std::string uid;
  /// A sandbox created after this moment belongs to a restart of the pod.
  WallTime seen_at{};

  friend bool operator==(const EvictedPod&, const EvictedPod&) = default;
};

/// Evicted pods that the runtime has yet to stop, once for each eviction, the longest waiting
/// first.
/// Pure.
class EvictedPods {
 public:
  struct Limits {
    std::size_t waiting = 1024;
    /// Number of past evictions that are recognized if they are reported again.
    std::size_t remembered = 4096;
    Duration first_wait = std::chrono::milliseconds(500);
    Duration longest_wait = std::chrono::seconds(30);
    /// By then, a kubelet has long done it.
    int attempts = 24;
  };
  struct Counters {
    std::uint64_t told = 0;
    std::uint64_t retried = 0;
    /// Given up after all attempts, or because too many waited.
    std::uint64_t abandoned = 0;
  };

  EvictedPods();
  explicit EvictedPods(Limits limits);

  /// Returns false for an eviction that was added before.
  bool add(const EvictedPod& pod, MonoTime now);
  /// The next pod that is due; stays the same until succeeded() or failed(). nullopt if none is
  /// due.
  [[nodiscard]] std::optional<EvictedPod> next(MonoTime now) const;
  /// When next() has one; nullopt while none waits.
  [[nodiscard]] std::optional<MonoTime> due() const;
  void succeeded(const EvictedPod& pod);
  void failed(const EvictedPod& pod, MonoTime now);

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  struct Waiting {
    EvictedPod pod;
    MonoTime due{};
    Duration wait{};
    int attempts = 0;
  };
  Limits limits_;
  std::deque<Waiting> waiting_;
  std::deque<EvictedPod> remembered_;
  Counters counters_;
};

}  // namespace evictd::cri
