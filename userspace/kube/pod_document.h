// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "evictd/result.h"
#include "kube/controller.h"
#include "kube/kubelet_eviction.h"
#include "kube/shaped_json.h"

namespace evictd::kube {

/// What is kept of a v1.Pod that a server told of: what evictd reads of a manifest
/// (cluster/pod_json.h), the node that it is on, its resource version, its owners, and what tells
/// that a kubelet has evicted it.
[[nodiscard]] const Shape& pod_shape();

/// A manifest to be written.
struct PodDocument {
  std::string uid;
  /// One v1.Pod, with a line end. The same for as long as nothing changes that evictd reads.
  std::string text;
  /// No parts of the text.
  std::optional<KubeletEviction> evicted{};
  std::optional<Controller> controller{};
};

/// Whether a file may be named by `uid`: 1 to 64 of "0-9a-z-", as the API server's uids (36) and
/// those of static pods (32) are. It comes from a network and must lead nowhere else.
[[nodiscard]] bool is_file_name(std::string_view uid);

/// The manifest of `pod`, which has pod_shape().
/// Errors: kInvalid, naming what is wrong and never a byte of a uid that is no file name: no
/// object, or a uid that is_file_name() refuses.
[[nodiscard]] Result<PodDocument> pod_document(nlohmann::json pod);

/// Whether evictd can read the document. Errors: as cluster::parse_manifests().
[[nodiscard]] Result<> check_document(const PodDocument& document);

}  // namespace evictd::kube
