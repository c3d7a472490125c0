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

/// Keeps the directory of manifests as a source tells it.
class PodDirectory final : public PodSink {
 public:
  struct Options {
    Absence absence;
    std::size_t max_pods = AnswerRules{}.max_pods;
    /// A manifest could not be written.
    std::function<void()> on_not_written;
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
  /// As KnownPods has it.
  [[nodiscard]] const ContainerRoles& roles_in(const std::string& uid) const {
    return pods_.roles_in(uid);
  }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const ManifestWriter& writer() const { return writer_; }
  /// When the source last confirmed what is there.
  [[nodiscard]] std::optional<MonoTime> confirmed_at() const { return confirmed_at_; }
  /// What is wrong with a manifest now: evictd cannot read it, or it could not be written.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void carry_out(const ManifestChanges& changes);

  Options options_;
  ManifestWriter writer_;
  KnownPods pods_;
  std::optional<MonoTime> confirmed_at_;
  /// The directory is not as the source has it.
  bool has_failed_ = false;
  std::string problem_;
  Counters counters_;
};

}  // namespace evictd::kube
