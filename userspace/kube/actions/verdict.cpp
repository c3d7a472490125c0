// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/verdict.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json_members.h"
#include "base/one_line.h"
#include "kube/answers.h"
#include "kube/shaped_json.h"

namespace evictd::kube {

namespace {

using base::list_at;
using base::text_at;
using Json = nlohmann::json;

struct HttpStatus {
  static constexpr int kOk = 200;
  static constexpr int kFirstRedirect = 300;
  static constexpr int kBadRequest = 400;
  static constexpr int kUnauthorized = 401;
  static constexpr int kForbidden = 403;
  static constexpr int kNotFound = 404;
  static constexpr int kConflict = 409;
  static constexpr int kGoneForGood = 410;
  static constexpr int kUnprocessable = 422;
  static constexpr int kTooMany = 429;
  static constexpr int kInternal = 500;
  static constexpr int kGatewayTimeout = 504;
};

/// The content of a v1.Status.
struct Refusal {
  bool is_status = false;
  std::string message;
  /// Kind of the object that the status names: "pods".
  std::string kind;
  bool names_budget = false;
};

Shape make_shape() {
  Shape shape = keeping({"kind", "message"});
  shape.members["details"] = keeping({"kind"});
  shape.members["details"].members["causes"] = keeping({"reason"});
  return shape;
}

Refusal refusal_in(const std::string& body) {
  static const Shape kShape = make_shape();
  const Result<Json> read = read_shaped(body, kShape);
  Refusal refusal;
  if (!read || text_at(*read, "kind") != "Status") {
    return refusal;
  }
  refusal.is_status = true;
  refusal.message = text_at(*read, "message");
  refusal.kind = text_at(*read, "details", "kind");
  for (const Json& cause : list_at(*read, "details", "causes")) {
    refusal.names_budget = refusal.names_budget || text_at(cause, "reason") == "DisruptionBudget";
  }
  return refusal;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

Verdict judge_event(Ask::Method method, int status, const Refusal& refusal) {
  switch (status) {
    case HttpStatus::kConflict:
      // The event's name is unique: it was posted before.
      return refusal.is_status ? Verdict::kDone : Verdict::kTrouble;
    case HttpStatus::kNotFound:
    case HttpStatus::kGoneForGood:
      if (!refusal.is_status) {
        return Verdict::kServer;
      }
      return method == Ask::Method::kPatch ? Verdict::kExpired : Verdict::kRejected;
    default:
      return Verdict::kRejected;
  }
}

bool evicts(Step::Kind kind, Ask::Method method) {
  return kind == Step::Kind::kEvict && method == Ask::Method::kPost;
}

Verdict judge_pod(Step::Kind kind, Ask::Method method, int status, const Refusal& refusal) {
  switch (status) {
    case HttpStatus::kNotFound:
    case HttpStatus::kGoneForGood:
      if (!refusal.is_status) {
        return Verdict::kServer;
      }
      if (refusal.kind == "pods" || method == Ask::Method::kDelete) {
        return Verdict::kGone;
      }
      return evicts(kind, method) ? Verdict::kUnknownVersion : Verdict::kTrouble;
    case HttpStatus::kConflict:
      return has(refusal.message, "UID in ") ? Verdict::kGone : Verdict::kTrouble;
    case HttpStatus::kUnprocessable:
      return has(refusal.message, "metadata.uid") ? Verdict::kGone : Verdict::kRejected;
    case HttpStatus::kBadRequest:
      return evicts(kind, method) ? Verdict::kUnknownVersion : Verdict::kRejected;
    default:
      return Verdict::kRejected;
  }
}

}  // namespace

Verdict judge(Step::Kind kind, Ask::Method method, const Answer& answer) {
  if (answer.error) {
    return Verdict::kServer;
  }
  if (answer.status >= HttpStatus::kOk && answer.status < HttpStatus::kFirstRedirect) {
    return Verdict::kDone;
  }
  const Refusal refusal = refusal_in(answer.body);
  // A webhook serves some namespaces only: its failure says nothing about the server and must delay
  // no other entry.
  const bool is_webhook = refusal.is_status && has(refusal.message, "admission webhook");
  switch (answer.status) {
    case HttpStatus::kForbidden:
      return Verdict::kForbidden;
    case HttpStatus::kTooMany:
      if (refusal.names_budget || (is_webhook && evicts(kind, method))) {
        return Verdict::kBudget;
      }
      return is_webhook ? Verdict::kTrouble : Verdict::kServer;
    case HttpStatus::kInternal:
      return has(refusal.message, "more than one PodDisruptionBudget") ? Verdict::kBudget
                                                                       : Verdict::kTrouble;
    default:
      break;
  }
  if (is_webhook &&
      (answer.status == HttpStatus::kUnauthorized || answer.status > HttpStatus::kInternal)) {
    return Verdict::kTrouble;
  }
  if (answer.status < HttpStatus::kBadRequest || answer.status == HttpStatus::kUnauthorized ||
      answer.status > HttpStatus::kInternal) {
    return Verdict::kServer;
  }
  return kind == Step::Kind::kEvent ? judge_event(method, answer.status, refusal)
                                    : judge_pod(kind, method, answer.status, refusal);
}

bool had_no_answer(const Answer& answer) {
  return answer.error.has_value() || answer.status == HttpStatus::kGatewayTimeout;
}

std::string describe(const Answer& answer) {
  if (answer.error) {
    return base::one_line(answer.error->message());
  }
  const std::string said = refusal_of(answer.body);
  return "HTTP status " + std::to_string(answer.status) + (said.empty() ? "" : ": " + said);
}

}  // namespace evictd::kube
