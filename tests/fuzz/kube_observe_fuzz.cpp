// SPDX-License-Identifier: Apache-2.0
// Any line of a journal, of the file of comparisons, and any event of a kubelet is an error or a
// comparison that writes back as the same, whose differences do not overflow.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json_text.h"
#include "export/comparison.h"
#include "kube/answers.h"
#include "kube/observe/comparison_log.h"
#include "kube/observe/dry_run_line.h"
#include "kube/observe/eviction_watch.h"

namespace {

using namespace evictd;

void check_written_back(const kube::ComparisonLog& log) {
  static_cast<void>(exporting::to_json(exporting::summary_of(log.comparisons())).dump());
  kube::ComparisonLog read(std::chrono::minutes(5), {});
  for (const std::string& text : log.texts()) {
    if (!read.apply(text, {})) {
      std::abort();
    }
  }
  if (read.texts() != log.texts()) {
    std::abort();
  }
}

/// With what was seen on the other side, which the same pod may be.
void check_sides(std::string_view text) {
  kube::ComparisonLog log(std::chrono::minutes(5), {});
  if (auto line = kube::read_observed_line(text); line && line->decision) {
    exporting::ComparedEviction kubelet = *line->decision;
    kubelet.id = 0;
    static_cast<void>(log.add_decision(std::move(*line->decision), {}));
    static_cast<void>(log.add_eviction(std::move(kubelet), {}));
  }
  const kube::AnswerRules rules{.max_pods = 8, .listed = kube::Listed::kEvictedEvents};
  if (const auto list = kube::read_pod_list(text, kube::Answerer::kApiServer, rules)) {
    for (const kube::PodDocument& pod : list->pods) {
      if (!kube::is_file_name(pod.uid)) {
        std::abort();
      }
      if (pod.evicted) {
        static_cast<void>(log.add_eviction(kube::compared_eviction(pod.uid, *pod.evicted, {}), {}));
      }
    }
  }
  static_cast<void>(log.settle(MonoTime::max()));
  check_written_back(log);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  kube::ComparisonLog log(std::chrono::minutes(5), {});
  if (log.apply(text, {})) {
    check_written_back(log);
  }
  check_sides(text);
  static_cast<void>(kube::amounts_in(text));
  return 0;
}
