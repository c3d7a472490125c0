// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "kube/actions/entry.h"
#include "kube/pod_source.h"

namespace evictd::kube {

/// What an answer means for the requested step.
enum class Verdict : std::uint8_t {
  kDone,            ///< Done now or before.
  kGone,            ///< The pod no longer exists, or another pod has its name.
  kRejected,        ///< The server will never accept it as it is.
  kForbidden,       ///< Lacks permission until somebody changes the rights.
  kBudget,          ///< A disruption budget blocks it.
  kTrouble,         ///< Only this entry failed; others need not.
  kUnknownVersion,  ///< Unknown version of pods/eviction.
  kExpired,         ///< The event to be counted on has expired.
  kServer,          ///< No request can succeed now: no answer, or an unhealthy server.
};

/// Accepts a 404 or 409 only if a v1.Status names the object: a misrouted proxy must not make
/// evictd-kube forget a pod. Pure.
[[nodiscard]] Verdict judge(Step::Kind kind, Ask::Method method, const Answer& answer);

/// No answer came in time, or a gateway or the server itself timed out (504).
[[nodiscard]] bool had_no_answer(const Answer& answer);

/// "HTTP status 403: pods is forbidden", on one line.
[[nodiscard]] std::string describe(const Answer& answer);

}  // namespace evictd::kube
