// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "evictd/result.h"
#include "kube/pod_document.h"

namespace evictd::kube {

/// The objects of a list or a watch.
enum class Listed {
  kPods,
  kEvictedEvents,  ///< v1.Event with the reason Evicted, each read as the pod that it is about.
};

/// Which pods are accepted from a server's answer.
struct AnswerRules {
  /// Accepts pods whose spec.nodeName is this, or whose events name this node; empty: all pods.
  std::string node{};
  /// An answer with more pods is refused. A node has 110 pods by default, and some thousand at
  /// most.
  std::size_t max_pods = 4096;
  Listed listed = Listed::kPods;
};

/// A v1.PodList, or a v1.EventList.
struct PodList {
  /// Empty for a kubelet's list.
  std::string resource_version;
  std::vector<PodDocument> pods;
  /// Number of pods on another node, number of unusable pods, and why the first one is unusable.
  std::size_t foreign = 0;
  std::size_t refused = 0;
  std::string first_refusal;
};

/// The answering server, which decides what a complete answer is.
enum class Answerer {
  kKubelet,    ///< Sends "items": null if it has no pods.
  kApiServer,  ///< Always sends items and a resource version.
};

/// Errors: kMalformed or kInvalid for an incomplete list, kExhausted for a list beyond a limit.
/// None of these errors means that a pod is gone.
[[nodiscard]] Result<PodList> read_pod_list(std::string_view text, Answerer answerer,
                                            const AnswerRules& rules);

/// One line of a watch.
struct WatchEvent {
  enum class Kind {
    kChanged,   ///< ADDED or MODIFIED: `pod`.
    kDeleted,   ///< `pod`; its text means nothing.
    kRefused,   ///< An unusable pod: `refusal`.
    kForeign,   ///< A pod on another node.
    kBookmark,  ///< Only the resource version.
    kGone,      ///< The resource version is too old.
    kError,     ///< Any other error: `refusal`.
  };
  Kind kind = Kind::kBookmark;
  std::string resource_version;
  PodDocument pod;
  std::string refusal;
};

/// Errors: kMalformed, kInvalid or kExhausted if `line` is no watch event.
[[nodiscard]] Result<WatchEvent> read_watch_event(std::string_view line, const AnswerRules& rules);

/// The server's reason for refusing a request, from its v1.Status; empty if it gives none.
[[nodiscard]] std::string refusal_of(std::string_view body);

}  // namespace evictd::kube
