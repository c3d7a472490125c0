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

/// Where the node's pods are read from.
enum class SourceKind { kKubelet, kApiServer };

struct KubeletSettings {
  ServerAccess access;
  Duration poll_interval = std::chrono::seconds(10);
  /// How long the kubelet's lists must lack a pod before its manifest is removed. A kubelet that
  /// just started lists only the pods that it knows so far.
  Duration gone_after = std::chrono::seconds(30);
};

struct ApiServerSettings {
  /// Exactly one of: URL in `access`, `in_cluster`, kubeconfig.
  ServerAccess access;
  bool in_cluster = false;
  std::string kubeconfig;
  /// Context of the kubeconfig; empty: the current one.
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
  /// Whether its events are followed in addition to polling.
  bool follows_events = true;
  /// See PlaceLinks.
  std::string place_link = "/var/lib/evictd-kube/runtime";
};

/// What `evictd-kube reclaim` keeps.
struct ReclaimSettings {
  cri::ContainerPolicy containers;
  cri::ImagePolicy images;
};

/// What evictd-kube does at the API server for an eviction.
enum class Mode {
  kNone,     ///< Nothing: evictd-kube only describes pods to evictd.
  kObserve,  ///< Nothing: compares evictd's dry run with the kubelet's evictions.
  kAssist,   ///< The kubelet evicts too, but later; evictd's evictions are made final.
  kOwn,      ///< The kubelet evicts nothing; evictd-kube also reports the node's pressure.
};

/// The node conditions that report pressure.
enum class NodeConditions {
  kOwn,       ///< evictd's own types: a kubelet overwrites its own conditions at each heartbeat.
  kStandard,  ///< The kubelet's types, for a node without a kubelet's conditions.
};

struct ActionSettings {
  Mode mode = Mode::kNone;
  NodeConditions node_conditions = NodeConditions::kOwn;
  /// Directory of the queue, or of the comparisons.
  std::string state_directory = "/var/lib/evictd-kube";
  bool respects_budgets = false;
  /// After an eviction loop, a taint keeps new pods off the node for a while.
  bool damps_loops = false;
  /// Average rate; also the largest burst.
  int requests_per_second = 50;
  /// Mode observe: the largest distance in time between two evictions that count as the same.
  Duration compare_window = std::chrono::minutes(5);
};

/// Whether this mode sends requests to the API server.
[[nodiscard]] constexpr bool acts(Mode mode) {
  return mode == Mode::kAssist || mode == Mode::kOwn;
}

/// The complete settings of evictd-kube.
struct KubeSettings {
  SourceKind pod_source = SourceKind::kKubelet;
  /// Empty: NODE_NAME of the environment, or else the host's name in lower case.
  std::string node_name;
  std::string manifest_directory = "/run/evictd-kube/pods";
  std::string status_socket = "/run/evictd-kube/status.sock";
  /// "none": evictd-kube does not ask evictd for undescribed pods.
  std::string evictd_socket = "/run/evictd/control.sock";
  KubeletSettings kubelet;
  ApiServerSettings api_server;
  RuntimeSettings runtime;
  ReclaimSettings reclaim;
  ActionSettings actions;
  base::LogOptions log;
};

/// Whether the kubelet's events are read: in mode observe, if an API server is configured.
[[nodiscard]] bool asks_for_events(const KubeSettings& settings);

/// Reads and checks the whole configuration.
/// Errors: one, "FILE:LINE: KEY: VALUE: what is wrong; allowed: what".
[[nodiscard]] Result<KubeSettings> parse_kube_config(std::string_view text,
                                                     std::string_view filename);
[[nodiscard]] Result<KubeSettings> read_kube_config(const std::string& file);

/// Whether this is a valid node name: it becomes part of a URL.
[[nodiscard]] bool is_node_name(std::string_view name);

}  // namespace evictd::kube
