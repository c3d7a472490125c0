// SPDX-License-Identifier: Apache-2.0
// Any answer of a server gives documents whose uid names a file, or an error; what is kept of it is
// bounded, and a document that passes its check is one that evictd reads as the same pod.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cluster/manifest.h"
#include "kube/answers.h"

namespace {

void check(const evictd::kube::PodDocument& document) {
  using namespace evictd;
  if (!kube::is_file_name(document.uid) || document.uid.find('/') != std::string::npos) {
    std::abort();
  }
  if (!kube::check_document(document)) {
    return;
  }
  const auto read = cluster::parse_manifests(document.text, "file", cluster::DocumentFormat::kJson,
                                             cluster::ManifestKind::kPods);
  if (!read || read->size() != 1 || read->front().pod.uid != document.uid) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evictd::kube;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Answerer answerer : {Answerer::kKubelet, Answerer::kApiServer}) {
    if (const auto list = read_pod_list(text, answerer, {.max_pods = 8})) {
      if (list->pods.size() > 8) {
        std::abort();
      }
      for (const PodDocument& document : list->pods) {
        check(document);
      }
    }
  }
  if (const auto event = read_watch_event(text, {.node = "node1"});
      event &&
      (event->kind == WatchEvent::Kind::kChanged || event->kind == WatchEvent::Kind::kDeleted)) {
    check(event->pod);
  }
  if (refusal_of(text).find('\n') != std::string::npos) {
    std::abort();
  }
  return 0;
}
