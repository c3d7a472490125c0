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

/// As a comparison has it; one without a time was seen `now`.
[[nodiscard]] exporting::ComparedEviction compared_eviction(const std::string& uid,
                                                            const KubeletEviction& evicted,
                                                            WallTime now);

/// Sees in what a source tells which pods a kubelet has evicted, and passes everything on.
class EvictionWatch final : public PodSink {
 public:
  struct Options {
    /// Borrowed: who is told everything.
    PodSink* next = nullptr;
    const core::Clock* clock = nullptr;
    /// Told once of each eviction; again where the pod was away meanwhile.
    std::function<void(exporting::ComparedEviction)> on_eviction;
  };
  struct Counters {
    std::uint64_t evictions = 0;
    /// Of the first list, without a time: nobody knows when they were.
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
  /// Uids of evicted pods that are there still.
  std::set<std::string> evicted_;
  Counters counters_;
};

}  // namespace evictd::kube
