// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evictd/time.h"
#include "kube/answers.h"
#include "kube/known_pods.h"
#include "kube/manifest_writer.h"
#include "kube/pod_source.h"

namespace evictd::kube {

/// Keeps the directory of manifests equal to what a source reports.
class PodDirectory final : public PodSink {
 public:
  struct Options {
    Absence absence;
    std::size_t max_pods = AnswerRules{}.max_pods;
    /// Called if a manifest could not be written.
    std::function<void()> on_write_failed;
  };
  struct Counters {
    std::uint64_t refused_documents = 0;
  };

  PodDirectory(Options options, ManifestWriter writer);

  void on_list(std::vector<PodDocument> pods, MonoTime now) override;
  void on_pod(PodDocument pod) override;
  void on_deleted(const std::string& uid) override;
  void on_confirmed(MonoTime now) override;
  [[nodiscard]] bool knows_pods() const override { return pods_.size() != 0; }

  [[nodiscard]] std::size_t size() const { return pods_.size(); }
  /// See KnownPods.
  [[nodiscard]] const ContainerRoles& roles_in(const std::string& uid) const {
    return pods_.roles_in(uid);
  }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const ManifestWriter& writer() const { return writer_; }
  /// When the source last confirmed the directory.
  [[nodiscard]] std::optional<MonoTime> confirmed_at() const { return confirmed_at_; }
  /// The current problem with a manifest: evictd cannot read it, or it could not be written.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void carry_out(const ManifestChanges& changes);

  Options options_;
  ManifestWriter writer_;
  KnownPods pods_;
  std::optional<MonoTime> confirmed_at_;
  /// The directory differs from the source.
  bool has_failed_ = false;
  std::string problem_;
  Counters counters_;
};

}  // namespace evictd::kube
