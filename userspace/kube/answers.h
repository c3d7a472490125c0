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

/// What a list or a watch is of.
enum class Listed {
  kPods,
  kEvictedEvents,  ///< v1.Event of the reason Evicted, each as the pod that it is about.
};

/// Which pods are taken from a server's answer.
struct AnswerRules {
  /// Those whose spec.nodeName is this, or whose events tell of it; empty: all.
  std::string node{};
  /// More refuse the answer. A node has 110 pods by default, and some thousand at most.
  std::size_t max_pods = 4096;
  Listed listed = Listed::kPods;
};

/// A v1.PodList, or a v1.EventList.
struct PodList {
  /// Empty from a kubelet.
  std::string resource_version;
  std::vector<PodDocument> pods;
  /// Pods that are of another node, and that cannot be taken, with why of the first.
  std::size_t foreign = 0;
  std::size_t refused = 0;
  std::string first_refusal;
};

/// Who answers, and so which answer is a whole one.
enum class Answerer {
  kKubelet,    ///< "items": null is how it says that there are none.
  kApiServer,  ///< Always has items and a resource version.
};

/// Errors: kMalformed or kInvalid for what is not a whole list, kExhausted for one beyond a limit:
/// none of them says that a pod is gone.
[[nodiscard]] Result<PodList> read_pod_list(std::string_view text, Answerer answerer,
                                            const AnswerRules& rules);

/// One line of a watch.
struct WatchEvent {
  enum class Kind {
    kChanged,   ///< ADDED or MODIFIED: `pod`.
    kDeleted,   ///< `pod`, whose text means nothing.
    kRefused,   ///< One that cannot be taken: `refusal`.
    kForeign,   ///< One of another node.
    kBookmark,  ///< The resource version alone.
    kGone,      ///< The resource version is too old.
    kError,     ///< Any other error: `refusal`.
  };
  Kind kind = Kind::kBookmark;
  std::string resource_version;
  PodDocument pod;
  std::string refusal;
};

/// Errors: kMalformed, kInvalid or kExhausted for what is no such line.
[[nodiscard]] Result<WatchEvent> read_watch_event(std::string_view line, const AnswerRules& rules);

/// What a server says of a request that it refuses, from its v1.Status; empty if it says nothing.
[[nodiscard]] std::string refusal_of(std::string_view body);

}  // namespace evictd::kube
