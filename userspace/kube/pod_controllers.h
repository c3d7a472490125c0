// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube/controller.h"
#include "kube/pod_source.h"

namespace evictd::kube {

/// The controllers of the pods that a source reported. Passes all reports on.
class PodControllers final : public PodSink {
 public:
  /// `next` is borrowed: the sink that receives all reports.
  explicit PodControllers(PodSink& next) : next_(next) {}

  void on_list(std::vector<PodDocument> pods, MonoTime now) override;
  void on_pod(PodDocument pod) override;
  void on_deleted(const std::string& uid) override;
  void on_confirmed(MonoTime now) override { next_.on_confirmed(now); }
  [[nodiscard]] bool knows_pods() const override { return next_.knows_pods(); }

  /// Returns nullopt for a pod without a controller, and for an unknown pod. A deleted pod stays
  /// known for a while: its eviction may be reported later.
  [[nodiscard]] std::optional<Controller> find(const std::string& uid) const;

 private:
  using Known = std::map<std::string, Controller>;

  void remember_deleted(Known::node_type gone);

  PodSink& next_;
  Known known_;
  /// The pods that were deleted last.
  Known gone_;
};

}  // namespace evictd::kube
