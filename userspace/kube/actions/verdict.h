// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "kube/actions/entry.h"
#include "kube/pod_source.h"

namespace evictd::kube {

/// What an answer means for the step that was asked for.
enum class Verdict : std::uint8_t {
  kDone,            ///< Also that it was done before.
  kGone,            ///< The pod is no more, or another one has its name.
  kRejected,        ///< It will never be taken as it is.
  kForbidden,       ///< Not us, as long as nobody changes the rights.
  kBudget,          ///< A disruption budget is in the way.
  kTrouble,         ///< This one failed; others need not.
  kUnknownVersion,  ///< Of pods/eviction.
  kExpired,         ///< The event that was to be counted on.
  kServer,          ///< Nothing can be done now: no answer, or the server is not well.
};

/// A 404 or 409 counts only where a v1.Status says what it is about: a proxy that lost its way must
/// not make us forget a pod. Pure.
[[nodiscard]] Verdict judge(Step::Kind kind, Ask::Method method, const Answer& answer);

/// Nothing came in time, or a gateway or the server itself gave up waiting (504).
[[nodiscard]] bool had_no_answer(const Answer& answer);

/// "HTTP status 403: pods is forbidden", on one line.
[[nodiscard]] std::string describe(const Answer& answer);

}  // namespace evictd::kube
