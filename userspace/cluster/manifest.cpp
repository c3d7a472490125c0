// SPDX-License-Identifier: Apache-2.0
#include "cluster/manifest.h"

#include <utility>

#include "cluster/cgroup_name.h"
#include "cluster/document.h"
#include "cluster/pod_defaults.h"
#include "cluster/pod_json.h"
#include "evictd/try.h"

namespace evictd::cluster {

namespace {

constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kHash = "kubernetes.io/config.hash";

/// Where manifests are from.
struct Source {
  std::string_view file;
  ManifestKind kind;
};

/// An object's place in a file: the document and the path in it, empty for the document itself.
struct Position {
  const Document& document;
  std::string path;
};

Failure refuse(const Source& source, const Position& place, std::string_view below,
               std::string_view what) {
  std::string path = place.path;
  path += (path.empty() || below.empty() ? "" : ".") + std::string(below);
  const int line = find_line(place.document, path);
  return fail(Errc::kInvalid, std::string(source.file) + ":" + std::to_string(line) + ": " +
                                  (path.empty() ? "" : path + ": ") + std::string(what));
}

std::string text_at(const nlohmann::json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

std::string annotation(const eviction::Pod& pod, std::string_view key) {
  const auto found = pod.annotations.find(key);
  return found == pod.annotations.end() ? "" : found->second;
}

std::string cgroup_uid_of(const eviction::Pod& pod) {
  std::string uid = annotation(pod, kMirror);
  if (uid.empty()) {
    uid = pod.uid;
  }
  return uid.empty() ? annotation(pod, kHash) : uid;
}

Result<> add_pod(const Source& source, const Position& place, const nlohmann::json& object,
                 std::vector<Manifest>& manifests) {
  Result<eviction::Pod> pod = pod_from_json(object);
  if (!pod) {
    // "spec.priority: "high": must be ...", or "document: a list: must be ...".
    const std::string& text = pod.error().context;
    const std::size_t colon = text.find(": ");
    const std::string_view path = std::string_view(text).substr(0, colon);
    return refuse(source, place, path == "document" ? "" : path,
                  colon == std::string::npos ? std::string_view(text)
                                             : std::string_view(text).substr(colon + 2));
  }
  if (pod->name.empty() && source.kind == ManifestKind::kSubmitted) {
    return refuse(source, place, "", "not a pod: it has no metadata.name");
  }
  apply_pod_defaults(*pod);
  Manifest manifest;
  manifest.cgroup_uid = cgroup_uid_of(*pod);
  manifest.kind = source.kind;
  if (manifest.cgroup_uid.empty() && source.kind == ManifestKind::kPods) {
    return refuse(source, place, "metadata",
                  "a pod needs metadata.uid here, because its cgroup is named by it; put a static "
                  "pod's manifest in a directory of static manifests");
  }
  pod->from_static_source =
      source.kind == ManifestKind::kStatic || is_static_uid(manifest.cgroup_uid);
  const int line = find_line(place.document, place.path);
  manifest.origin = std::string(source.file) + ":" + std::to_string(line);
  manifest.pod = std::move(*pod);
  manifests.push_back(std::move(manifest));
  return {};
}

Result<> add_object(const Source& source, const Position& place, const nlohmann::json& object,
                    std::vector<Manifest>& manifests) {
  if (!object.is_object()) {
    return refuse(source, place, "", "must be an object with kind and apiVersion");
  }
  const std::string kind = text_at(object, "kind");
  const std::string version = text_at(object, "apiVersion");
  if (version != "v1") {
    return refuse(source, place, "apiVersion", "'" + version + "'; allowed: v1");
  }
  if (kind == "Pod") {
    return add_pod(source, place, object, manifests);
  }
  return refuse(source, place, "kind",
                "'" + kind + "'; allowed: Pod" + (place.path.empty() ? ", PodList, List" : ""));
}

Result<> add_items(const Source& source, const Document& list, std::vector<Manifest>& manifests) {
  const auto items = list.value.find("items");
  if (items == list.value.end() || items->is_null()) {
    return {};
  }
  if (!items->is_array()) {
    return refuse(source, {list, ""}, "items", "must be a list");
  }
  const bool is_pod_list = text_at(list.value, "kind") == "PodList";
  for (std::size_t i = 0; i < items->size(); ++i) {
    const Position place{list, "items[" + std::to_string(i) + "]"};
    const nlohmann::json& item = (*items)[i];
    // The items of a kubelet's PodList have no kind of their own.
    const bool is_bare = is_pod_list && item.is_object() && !item.contains("kind");
    EVICTD_TRY(is_bare ? add_pod(source, place, item, manifests)
                       : add_object(source, place, item, manifests));
  }
  return {};
}

Result<> add_document(const Source& source, const Document& document,
                      std::vector<Manifest>& manifests) {
  const std::string kind = document.value.is_object() ? text_at(document.value, "kind") : "";
  const bool is_list =
      (kind == "PodList" || kind == "List") && text_at(document.value, "apiVersion") == "v1";
  return is_list ? add_items(source, document, manifests)
                 : add_object(source, {document, ""}, document.value, manifests);
}

}  // namespace

Result<std::vector<Manifest>> parse_manifests(std::string_view text, std::string_view file,
                                              DocumentFormat format, ManifestKind kind) {
  EVICTD_ASSIGN_OR_RETURN(const std::vector<Document> documents,
                          parse_documents(text, file, format));
  const Source source{file, kind};
  std::vector<Manifest> manifests;
  for (const Document& document : documents) {
    EVICTD_TRY(add_document(source, document, manifests));
  }
  return manifests;
}

}  // namespace evictd::cluster
