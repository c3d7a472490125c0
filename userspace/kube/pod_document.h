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

/// The fields kept from a server's v1.Pod: those that evictd reads of a manifest
/// (cluster/pod_json.h), the node, the resource version, the owners, and the signs of an eviction
/// by a kubelet.
[[nodiscard]] const Shape& pod_shape();

/// A manifest to write.
struct PodDocument {
  std::string uid;
  /// One v1.Pod, with a line end. Stays the same until a field changes that evictd reads.
  std::string text;
  /// Not part of the text.
  std::optional<KubeletEviction> evicted{};
  std::optional<Controller> controller{};
};

/// Whether `uid` is a safe file name: 1 to 64 characters of "0-9a-z-". Covers the API server's uids
/// (36) and those of static pods (32). A uid comes from the network and must not lead to another
/// directory.
[[nodiscard]] bool is_file_name(std::string_view uid);

/// The manifest of `pod`, which has pod_shape().
/// Errors: kInvalid if `pod` is no object, or for a uid that is_file_name() refuses. The message
/// names the problem and never quotes such a uid.
[[nodiscard]] Result<PodDocument> pod_document(nlohmann::json pod);

/// Whether evictd can read the document. Errors: as cluster::parse_manifests().
[[nodiscard]] Result<> check_document(const PodDocument& document);

}  // namespace evictd::kube
