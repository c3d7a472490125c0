// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/answers.h"
#include "kube/backoff.h"
#include "kube/pod_source.h"

namespace evictd::kube {

/// Lists a kubelet's pods at an interval, and at once when evictd has a pod without a manifest.
class KubeletSource final : public PodSource {
 public:
  struct Options {
    Duration poll_interval = std::chrono::seconds(10);
    AnswerRules rules{};
    /// Borrowed.
    PodSink* sink = nullptr;
    RandomPart random;
  };

  explicit KubeletSource(Options options)
      : options_(std::move(options)),
        backoff_({.first = std::chrono::milliseconds(500), .most = options_.poll_interval}) {}

  [[nodiscard]] MonoTime due() const override;
  [[nodiscard]] std::optional<Ask> tick(MonoTime now) override;
  /// The request's time limit is enough.
  [[nodiscard]] bool must_cancel(MonoTime /*now*/) override { return false; }
  void on_head(int /*status*/, MonoTime /*now*/) override {}
  [[nodiscard]] bool on_data(std::string_view /*piece*/, MonoTime /*now*/) override {
    return false;
  }
  void on_end(const Answer& answer, MonoTime now) override;
  void on_unknown_pod(MonoTime now) override;
  /// The next list contains the pod again.
  void on_write_failed(MonoTime /*now*/) override {}
  [[nodiscard]] const SourceCounters& counters() const override { return counters_; }
  [[nodiscard]] const std::string& problem() const override { return problem_; }

 private:
  void fail_with(std::string problem, Duration at_least, MonoTime now);

  Options options_;
  Backoff backoff_;
  bool asking_ = false;
  /// A pod was reported while a request was in progress, so its answer may lack the pod.
  bool nudged_ = false;
  MonoTime asked_at_{};
  MonoTime due_{};
  SourceCounters counters_;
  std::string problem_;
};

}  // namespace evictd::kube
