// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kube/controller.h"
#include "kube/pod_source.h"

namespace evictd::kube {

/// Whose controller is who, as far as a source has told; passes everything on.
class PodControllers final : public PodSink {
 public:
  /// `next` is borrowed: who is told everything.
  explicit PodControllers(PodSink& next) : next_(next) {}

  void on_list(std::vector<PodDocument> pods, MonoTime now) override;
  void on_pod(PodDocument pod) override;
  void on_deleted(const std::string& uid) override;
  void on_confirmed(MonoTime now) override { next_.on_confirmed(now); }
  [[nodiscard]] bool knows_pods() const override { return next_.knows_pods(); }

  /// Nothing for a pod that has none, or that is not known. A pod that is gone is known for a
  /// while: its eviction may be told later.
  [[nodiscard]] std::optional<Controller> find(const std::string& uid) const;

 private:
  using Known = std::map<std::string, Controller>;

  void keep_gone(Known::node_type gone);

  PodSink& next_;
  Known known_;
  /// Those that went last.
  Known gone_;
};

}  // namespace evictd::kube
