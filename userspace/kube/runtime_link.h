// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "base/member_handler.h"
#include "core/clock.h"
#include "cri/evicted_pods.h"
#include "cri/runtime_worker.h"
#include "evictd/result.h"
#include "kube/container_roles.h"
#include "kube/kube_config.h"
#include "kube/place_links.h"

namespace evictd::kube {

/// The node's container runtime beside the event loop: evictd's journal is given to it line by
/// line, and what it knows is told in the status. It never waits.
/// Thread rule: everything belongs to the thread that runs the loop.
class RuntimeLink {
 public:
  struct Options {
    RuntimeSettings settings;
    /// Of the containers of a pod, by its uid.
    std::function<const ContainerRoles&(const std::string&)> roles_in;
    /// Borrowed.
    base::EventLoop* loop = nullptr;
    const core::Clock* clock = nullptr;
  };

  /// Errors: of eventfd(2) and epoll_ctl(2).
  [[nodiscard]] static Result<std::unique_ptr<RuntimeLink>> create(Options options);
  RuntimeLink(const RuntimeLink&) = delete;
  RuntimeLink& operator=(const RuntimeLink&) = delete;
  ~RuntimeLink();

  /// A line of evictd's journal.
  void on_line(std::string_view line);
  /// What is wrong with the runtime now; empty for nothing.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Why its events are not followed; empty where they are, or are not to be.
  [[nodiscard]] const std::string& events_problem() const { return events_problem_; }
  /// Why evictd is not told of the runtime's places; empty where it is.
  [[nodiscard]] const std::string& places_problem() const { return links_.problem(); }
  /// As docs/kubernetes.md has it.
  [[nodiscard]] nlohmann::ordered_json status(MonoTime now) const;

 private:
  RuntimeLink(Options options, std::string socket, std::unique_ptr<cri::RuntimeWorker> worker);
  void on_changed();
  [[nodiscard]] nlohmann::ordered_json containers_json(const cri::RuntimeReport& report) const;

  Options options_;
  std::string socket_;
  std::unique_ptr<cri::RuntimeWorker> worker_;
  base::MemberHandler<RuntimeLink> handler_{*this, &RuntimeLink::on_changed};
  PlaceLinks links_;
  std::string problem_;
  std::string events_problem_;
};

/// The pod whose processes evictd has killed, or that have ended after evictd asked them to, by a
/// line of its journal; nullopt where the line tells nothing of the kind, and of a dry run.
[[nodiscard]] std::optional<cri::EvictedPod> killed_pod(std::string_view line);

}  // namespace evictd::kube
