// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/verdict.h"

#include "made.h"

namespace evictd::kube::test {
namespace {

using Kind = Step::Kind;
using Method = Ask::Method;

Verdict of(Kind kind, Method method, int status, const std::string& body = "") {
  return judge(kind, method, {.error = {}, .status = status, .body = body});
}

TEST(ApiVerdict, NoAnswerSaysNothing) {
  const Answer answer{.error = Error{.code = Errc::kIo, .sys_errno = 0, .context = "cut"},
                      .status = 201};
  EXPECT_EQ(judge(Kind::kEvict, Method::kPost, answer), Verdict::kServer);
}

TEST(ApiVerdict, AServerThatIsNotWellIsWaitedFor) {
  for (const int status : {0, 100, 302, 401, 429, 502, 503, 504}) {
    EXPECT_EQ(of(Kind::kEvict, Method::kPost, status), Verdict::kServer) << status;
  }
  EXPECT_EQ(of(Kind::kEvict, Method::kPost, 500), Verdict::kTrouble);
  EXPECT_EQ(of(Kind::kEvent, Method::kPost, 403), Verdict::kForbidden);
}

TEST(ApiVerdict, APodIsGoneOnlyWhereTheServerSaysSo) {
  const std::string gone = status_body("no pod", R"({"kind":"pods"})");
  EXPECT_EQ(of(Kind::kPodStatus, Method::kPatch, 404, gone), Verdict::kGone);
  EXPECT_EQ(of(Kind::kEvict, Method::kPost, 404, gone), Verdict::kGone);
  EXPECT_EQ(of(Kind::kEvict, Method::kPost, 404, status_body("no resource")),
            Verdict::kUnknownVersion);
  EXPECT_EQ(of(Kind::kEvict, Method::kDelete, 404, status_body("x")), Verdict::kGone);
  for (const char* const proxy : {"", "<html>", "{}", "[]", "\"Status\""}) {
    EXPECT_EQ(of(Kind::kEvict, Method::kPost, 404, proxy), Verdict::kServer) << proxy;
    EXPECT_EQ(of(Kind::kEvent, Method::kPost, 404, proxy), Verdict::kServer) << proxy;
    EXPECT_EQ(of(Kind::kEvent, Method::kPost, 409, proxy), Verdict::kTrouble) << proxy;
    EXPECT_EQ(of(Kind::kEvict, Method::kPost, 409, proxy), Verdict::kTrouble) << proxy;
  }
}

TEST(ApiVerdict, AnotherPodOfTheNameIsNotOurs) {
  EXPECT_EQ(of(Kind::kEvict, Method::kPost, 409,
               status_body("the UID in the precondition (a) does not match")),
            Verdict::kGone);
  EXPECT_EQ(of(Kind::kEvict, Method::kDelete, 409,
               status_body("Precondition failed: UID in precondition: a, UID in object meta: b")),
            Verdict::kGone);
  EXPECT_EQ(of(Kind::kPodStatus, Method::kPatch, 422, status_body("metadata.uid: immutable")),
            Verdict::kGone);
  EXPECT_EQ(of(Kind::kPodStatus, Method::kPatch, 422, status_body("phase")), Verdict::kRejected);
}

TEST(ApiVerdict, ABudgetIsToldFromAServerThatThrottles) {
  const std::string budget =
      status_body("Cannot evict", R"({"causes":[{"reason":"DisruptionBudget"}]})");
  EXPECT_EQ(of(Kind::kEvict, Method::kPost, 429, budget), Verdict::kBudget);
  EXPECT_EQ(of(Kind::kEvict, Method::kPost, 429, status_body("too many", R"({"causes":5})")),
            Verdict::kServer);
  EXPECT_EQ(of(Kind::kEvict, Method::kPost, 500,
               status_body("This pod has more than one PodDisruptionBudget")),
            Verdict::kBudget);
}

TEST(ApiVerdict, AWebhookSaysNothingOfTheServer) {
  const std::string denial = status_body("admission webhook w denied the request: later");
  EXPECT_EQ(of(Kind::kEvict, Method::kPost, 429, denial), Verdict::kBudget);
  EXPECT_EQ(of(Kind::kPodStatus, Method::kPatch, 429, denial), Verdict::kTrouble);
  EXPECT_EQ(of(Kind::kEvict, Method::kPost, 503, denial), Verdict::kTrouble);
}

TEST(ApiVerdict, AnEventThatIsThereWasPosted) {
  EXPECT_EQ(of(Kind::kEvent, Method::kPost, 409, status_body("exists")), Verdict::kDone);
  EXPECT_EQ(of(Kind::kEvent, Method::kPatch, 404, status_body("none")), Verdict::kExpired);
  EXPECT_EQ(of(Kind::kEvent, Method::kPost, 404, status_body("no namespace")), Verdict::kRejected);
  EXPECT_EQ(of(Kind::kEvent, Method::kPost, 422, status_body("bad")), Verdict::kRejected);
}

}  // namespace
}  // namespace evictd::kube::test
