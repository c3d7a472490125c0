// SPDX-License-Identifier: Apache-2.0
// Any line of a journal is planned into entries that the queue takes, and any line of a queue gives
// requests whose address leads nowhere but to pods and events.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/actions/journal_line.h"
#include "kube/actions/planner.h"
#include "kube/actions/queue_state.h"
#include "kube/actions/request.h"
#include "kube/actions/verdict.h"

namespace {

void check_requests(const evictd::kube::QueueState& state) {
  using namespace evictd::kube;
  for (const auto& [number, entry] : state.entries()) {
    for (const bool other : {false, true}) {
      const Ask ask =
          make_request(entry, {.node = "node1", .deletes = other, .posts_again = other}, {});
      const std::string_view path = ask.path;
      if (!path.starts_with("/api/v1/namespaces/") || path.find("..") != std::string_view::npos ||
          path.find_first_of("?#% \n") != std::string_view::npos) {
        std::abort();
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evictd::kube;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  QueueState state;
  if (const auto line = read_journal_line(text)) {
    PlannerCounters counters;
    const TakenLine taken = plan(*line, state, {.node = "node1"}, counters);
    if (!state.apply(QueueState::taken_text(taken))) {
      std::abort();
    }
    check_requests(state);
  }
  QueueState read;
  static_cast<void>(read.apply(text));
  check_requests(read);
  const Answer refusal{.error = {}, .status = 404, .body = std::string(text)};
  static_cast<void>(judge(Step::Kind::kEvict, Ask::Method::kPost, refusal));
  return 0;
}
