// SPDX-License-Identifier: Apache-2.0
#include "kube/pod_document.h"

#include <algorithm>
#include <utility>

#include "cluster/manifest.h"

namespace evictd::kube {

namespace {

Shape some(std::initializer_list<const char*> names) {
  Shape shape;
  for (const char* const name : names) {
    shape.members.emplace(name, Shape{});
  }
  return shape;
}

Shape any_members() {
  return some({Shape::kAny});
}

Shape make_pod_shape() {
  Shape metadata = some(
      {"name", "namespace", "uid", "resourceVersion", "creationTimestamp", "deletionTimestamp"});
  metadata.members["labels"] = any_members();
  metadata.members["annotations"] = some(
      {"kubernetes.io/config.mirror", "kubernetes.io/config.hash", "kubernetes.io/config.source"});
  metadata.members["ownerReferences"] = some({"apiVersion", "kind", "name", "uid", "controller"});
  Shape resources;
  resources.members["requests"] = any_members();
  resources.members["limits"] = any_members();
  Shape container = some({"name", "restartPolicy"});
  container.members["resources"] = resources;
  // evictd checks only whether the last three exist.
  Shape volume = some({"name", "hostPath", "configMap", "gitRepo"});
  volume.members["emptyDir"] = some({"medium", "sizeLimit"});
  Shape spec = some({"nodeName", "priority", "priorityClassName", "terminationGracePeriodSeconds"});
  spec.members["containers"] = container;
  spec.members["initContainers"] = container;
  spec.members["overhead"] = any_members();
  spec.members["tolerations"] = some({"key", "operator", "value", "effect"});
  spec.members["volumes"] = volume;
  Shape status = some({"phase", "qosClass", "reason", "message"});
  status.members["conditions"] = some({"type", "lastTransitionTime"});
  for (const char* const list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    status.members[list] = some({"name", "containerID"});
  }
  Shape pod = some({"kind", "apiVersion"});
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
