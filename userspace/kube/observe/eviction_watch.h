// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "export/comparison.h"
#include "kube/pod_source.h"

namespace evictd::kube {

/// The eviction as an entry of a comparison; one without a time gets `now`.
[[nodiscard]] exporting::ComparedEviction compared_eviction(const std::string& uid,
                                                            const KubeletEviction& evicted,
                                                            WallTime now);

/// Finds the pods that a kubelet evicted in what a source reports. Passes all reports on.
class EvictionWatch final : public PodSink {
 public:
  struct Options {
    /// Borrowed: the sink that receives all reports.
    PodSink* next = nullptr;
    const core::Clock* clock = nullptr;
    /// Called once for each eviction; again if the pod disappeared in between.
    std::function<void(exporting::ComparedEviction)> on_eviction;
  };
  struct Counters {
    std::uint64_t evictions = 0;
    /// Evictions in the first list without a time: nobody knows when they happened.
    std::uint64_t undated = 0;
  };

  explicit EvictionWatch(Options options) : options_(std::move(options)) {}

  void on_list(std::vector<PodDocument> pods, MonoTime now) override;
  void on_pod(PodDocument pod) override;
  void on_deleted(const std::string& uid) override;
  void on_confirmed(MonoTime now) override { options_.next->on_confirmed(now); }
  [[nodiscard]] bool knows_pods() const override { return options_.next->knows_pods(); }

  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  void look_at(const PodDocument& pod);

  Options options_;
  bool had_list_ = false;
  /// Uids of evicted pods that still exist.
  std::set<std::string> evicted_;
  Counters counters_;
};

}  // namespace evictd::kube
