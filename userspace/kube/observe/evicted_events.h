// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/member_handler.h"
#include "base/timer.h"
#include "core/clock.h"
#include "evictd/result.h"
#include "export/comparison.h"
#include "kube/api_server_source.h"
#include "kube/http_client.h"
#include "kube/server_access.h"

namespace evictd::kube {

/// Finds the pods that the node's kubelet evicted, from the events of an API server. An event
/// carries the moment of the kubelet's decision, and exists even after the pod is deleted.
/// Thread rule: everything belongs to the thread that runs the loop.
class EvictedEvents final : private AnswerHandler, private PodSink {
 public:
  struct Options {
    std::string node;
    Duration watch_time{};
    Duration silence_limit{};
    FindAccess find_access;
    RandomPart random;
    /// Borrowed.
    base::EventLoop* loop = nullptr;
    const core::Clock* clock = nullptr;
    /// Called for each event, including those from before the start.
    std::function<void(exporting::ComparedEviction)> on_eviction;
  };

  /// Errors: those of system calls.
  [[nodiscard]] static Result<std::unique_ptr<EvictedEvents>> create(Options options);
  EvictedEvents(const EvictedEvents&) = delete;
  EvictedEvents& operator=(const EvictedEvents&) = delete;
  ~EvictedEvents() override;

  /// The current problem; empty if there is none.
  [[nodiscard]] const std::string& problem() const { return source_.problem(); }
  /// The part of the status that docs/kubernetes.md describes.
  [[nodiscard]] nlohmann::ordered_json status() const;

 private:
  EvictedEvents(Options options, base::Timer timer);
  [[nodiscard]] Result<> prepare();
  void on_timer();
  void drive();

  void on_head(int status) override;
  bool on_data(std::string_view piece) override;
  void on_end(const Answer& answer) override;

  void on_list(std::vector<PodDocument> pods, MonoTime now) override;
  void on_pod(PodDocument pod) override;
  /// The server deletes an event after an hour; the eviction stays known.
  void on_deleted(const std::string& /*uid*/) override {}
  void on_confirmed(MonoTime /*now*/) override {}
  [[nodiscard]] bool knows_pods() const override { return false; }

  Options options_;
  ApiServerSource source_;
  base::Timer timer_;
  base::MemberHandler<EvictedEvents> timer_handler_{*this, &EvictedEvents::on_timer};
  std::unique_ptr<HttpClient> client_;
  std::uint64_t told_ = 0;
  std::uint64_t credential_failures_ = 0;
};

}  // namespace evictd::kube
