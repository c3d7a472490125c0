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

/// Connects the container runtime to the event loop. Passes evictd's journal lines to it, and
/// reports its data in the status. Never waits.
/// Thread rule: everything belongs to the thread that runs the loop.
class RuntimeLink {
 public:
  struct Options {
    RuntimeSettings settings;
    /// The roles of a pod's containers, by the pod's uid.
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

  /// Takes a line of evictd's journal.
  void on_line(std::string_view line);
  /// The current problem with the runtime; empty if there is none.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  /// Why its events are not followed; empty if they are, or need not be.
  [[nodiscard]] const std::string& events_problem() const { return events_problem_; }
  /// Why evictd does not get the runtime's directories; empty if it does.
  [[nodiscard]] const std::string& places_problem() const { return links_.problem(); }
  /// The part of the status that docs/kubernetes.md describes.
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

/// The pod whose processes evictd killed, or whose processes exited after evictd's request. Returns
/// nullopt if the line reports no such pod, and for a dry run.
[[nodiscard]] std::optional<cri::EvictedPod> killed_pod(std::string_view line);

}  // namespace evictd::kube
