// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/log_options.h"
#include "cri/dead_containers.h"
#include "cri/unused_images.h"
#include "evictd/result.h"
#include "evictd/time.h"
#include "kube/server_access.h"

namespace evictd::kube {

/// Who tells which pods the node has.
enum class SourceKind { kKubelet, kApiServer };

struct KubeletSettings {
  ServerAccess access;
  Duration poll_interval = std::chrono::seconds(10);
  /// How long a kubelet must not have listed a pod before its manifest is removed: one that has
  /// just started lists only those that it knows of by then.
  Duration gone_after = std::chrono::seconds(30);
};

struct ApiServerSettings {
  /// One of the three is given.
  ServerAccess access;
  bool in_cluster = false;
  std::string kubeconfig;
  /// Of the kubeconfig; empty: the current one.
  std::string context;
  Duration watch_time = std::chrono::minutes(5);
  Duration silence_limit = std::chrono::minutes(2);

  [[nodiscard]] bool is_given() const {
    return !access.url.empty() || in_cluster || !kubeconfig.empty();
  }
};

/// The node's container runtime.
struct RuntimeSettings {
  /// A path, "none" or "auto"; see find_socket().
  std::string endpoint = "none";
  Duration poll_interval = std::chrono::seconds(10);
  /// Whether its events are followed beside that.
  bool follows_events = true;
  /// See PlaceLinks.
  std::string place_link = "/var/lib/evictd-kube/runtime";
};

/// What `evictd-kube reclaim` leaves.
struct ReclaimSettings {
  cri::ContainerPolicy containers;
  cri::ImagePolicy images;
};

/// What an eviction becomes at the API server.
enum class Mode {
  kNone,     ///< Nothing: pods are described to evictd, and that is all.
  kObserve,  ///< Nothing either: evictd's dry run is compared with what the kubelet does.
  kAssist,   ///< The kubelet evicts too, later; evictd's evictions are made final.
  kOwn,      ///< The kubelet evicts nothing: the node's pressure is told as well.
};

/// By which conditions a node tells of pressure.
enum class NodeConditions {
  kOwn,       ///< Of types of our own: a kubelet overwrites its own ones at each heartbeat.
  kStandard,  ///< A kubelet's, where there is none.
};

struct ActionSettings {
  Mode mode = Mode::kNone;
  NodeConditions node_conditions = NodeConditions::kOwn;
  /// Of the queue, or of the comparisons.
  std::string state_directory = "/var/lib/evictd-kube";
  bool respects_budgets = false;
  /// A loop of evictions keeps new pods off the node for a while, by a taint.
  bool damps_loops = false;
  /// On average; as many at once.
  int requests_per_second = 50;
  /// Of mode observe: how far apart two evictions may be that are about the same.
  Duration compare_window = std::chrono::minutes(5);
};

/// Whether a mode asks the API server for anything.
[[nodiscard]] constexpr bool acts(Mode mode) {
  return mode == Mode::kAssist || mode == Mode::kOwn;
}

/// What evictd-kube is to do.
struct KubeSettings {
  SourceKind pod_source = SourceKind::kKubelet;
  /// Empty: NODE_NAME of the environment, or else the host's name in lower case.
  std::string node_name;
  std::string manifest_directory = "/run/evictd-kube/pods";
  std::string status_socket = "/run/evictd-kube/status.sock";
  /// "none": evictd is not asked for pods that nobody described.
  std::string evictd_socket = "/run/evictd/control.sock";
  KubeletSettings kubelet;
  ApiServerSettings api_server;
  RuntimeSettings runtime;
  ReclaimSettings reclaim;
  ActionSettings actions;
  base::LogOptions log;
};

/// Whether the kubelet's events are read: in mode observe, where there is a way to the API server.
[[nodiscard]] bool asks_for_events(const KubeSettings& settings);

/// Reads and checks the whole configuration.
/// Errors: one, "FILE:LINE: KEY: VALUE: what is wrong; allowed: what".
[[nodiscard]] Result<KubeSettings> parse_kube_config(std::string_view text,
                                                     std::string_view filename);
[[nodiscard]] Result<KubeSettings> read_kube_config(const std::string& file);

/// Whether a node may be called so: it becomes part of an address.
[[nodiscard]] bool is_node_name(std::string_view name);

}  // namespace evictd::kube
