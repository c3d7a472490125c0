// SPDX-License-Identifier: Apache-2.0
#include "kube/pod_source.h"

#include "base/one_line.h"
#include "kube/answers.h"

namespace evictd::kube {

namespace {

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kTooMany = 429;

}  // namespace

std::string describe_failure(const Answer& answer, SourceCounters& counters) {
  ++counters.failures;
  if (answer.error) {
    ++counters.unreachable;
    return base::one_line(answer.error->message());
  }
  if (answer.status == kUnauthorized || answer.status == kForbidden) {
    ++counters.unauthorized;
  } else if (answer.status == kTooMany) {
    ++counters.throttled;
  } else {
    ++counters.other_status;
  }
  const std::string said = refusal_of(answer.body);
  return "HTTP status " + std::to_string(answer.status) + (said.empty() ? "" : ": " + said);
}

}  // namespace evictd::kube
