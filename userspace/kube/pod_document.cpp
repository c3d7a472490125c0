// SPDX-License-Identifier: Apache-2.0
#include "kube/pod_document.h"

#include <algorithm>
#include <utility>

#include "cluster/manifest.h"

namespace evictd::kube {

namespace {

Shape make_pod_shape() {
  Shape metadata = keeping(
      {"name", "namespace", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"});
  metadata.members["labels"] = keeping({Shape::kAny});
  metadata.members["annotations"] = keeping(
      {"kubernetes.io/config.mirror", "kubernetes.io/config.hash", "kubernetes.io/config.source"});
  metadata.members["ownerReferences"] =
      keeping({"apiVersion", "kind", "name", "uid", "controller"});
  Shape resources;
  resources.members["requests"] = keeping({Shape::kAny});
  resources.members["limits"] = keeping({Shape::kAny});
  Shape container = keeping({"name", "restartPolicy"});
  container.members["resources"] = resources;
  // evictd checks only whether the last three exist.
  Shape volume = keeping({"name", "hostPath", "configMap", "gitRepo"});
  volume.members["emptyDir"] = keeping({"medium", "sizeLimit"});
  Shape spec =
      keeping({"nodeName", "priority", "priorityClassName", "terminationGracePeriodSeconds"});
  spec.members["containers"] = container;
  spec.members["initContainers"] = container;
  spec.members["overhead"] = keeping({Shape::kAny});
  spec.members["tolerations"] = keeping({"key", "operator", "value", "effect"});
  spec.members["volumes"] = volume;
  Shape status = keeping({"phase", "qosClass", "reason", "message"});
  status.members["conditions"] = keeping({"type", "lastTransitionTime"});
  for (const char* const list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    status.members[list] = keeping({"name", "containerID"});
  }
  Shape pod = keeping({"kind", "apiVersion"});
  pod.members["metadata"] = std::move(metadata);
  pod.members["spec"] = std::move(spec);
  pod.members["status"] = std::move(status);
  return pod;
}

void erase_member(nlohmann::json& object, const char* parent, const char* name) {
  const auto found = object.find(parent);
  if (found != object.end() && found->is_object()) {
    found->erase(name);
  }
}

}  // namespace

const Shape& pod_shape() {
  static const Shape kShape = make_pod_shape();
  return kShape;
}

bool is_file_name(std::string_view uid) {
  constexpr std::size_t kLongest = 64;
  return !uid.empty() && uid.size() <= kLongest && std::all_of(uid.begin(), uid.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-';
  });
}

Result<PodDocument> pod_document(nlohmann::json pod) {
  if (!pod.is_object()) {
    return fail(Errc::kInvalid, "a pod that is not an object");
  }
  const auto metadata = pod.find("metadata");
  const bool has_uid = metadata != pod.end() && metadata->is_object() &&
                       metadata->contains("uid") && (*metadata)["uid"].is_string();
  if (!has_uid || !is_file_name((*metadata)["uid"].get_ref<const std::string&>())) {
    return fail(Errc::kInvalid, "a pod whose metadata.uid is not 1 to 64 of 0-9, a-z and -");
  }
  PodDocument document;
  document.uid = (*metadata)["uid"].get<std::string>();
  document.evicted = kubelet_eviction(pod);
  document.controller = controller_of(pod);
  for (const char* const member : {"reason", "message", "conditions"}) {
    erase_member(pod, "status", member);
  }
  // evictd uses neither, and the version changes with each status heartbeat.
  erase_member(pod, "metadata", "resourceVersion");
  erase_member(pod, "metadata", "ownerReferences");
  erase_member(pod, "spec", "nodeName");
  // The items of a list have neither.
  pod["kind"] = "Pod";
  pod["apiVersion"] = "v1";
  document.text = pod.dump() + '\n';
  return document;
}

Result<> check_document(const PodDocument& document) {
  const Result<std::vector<cluster::Manifest>> read =
      cluster::parse_manifests(document.text, "pod " + document.uid, cluster::DocumentFormat::kJson,
                               cluster::ManifestKind::kPods);
  return read ? Result<>() : Failure(read.error());
}

}  // namespace evictd::kube
