// SPDX-License-Identifier: Apache-2.0
#include "kube/runtime_link.h"

#include <gtest/gtest.h>

namespace evictd::kube {
namespace {

std::string progress(const std::string& state, const std::string& rest = "") {
  return R"({"schema":1,"kind":"progress","id":7,"pod":"n/a","uid":"u-1","state":")" + state +
         R"(","event":null,"dry_run":false)" + rest + "}";
}

TEST(KilledPod, IsReadFromTheStepsOfAnEviction) {
  for (const char* const state : {"killed", "released", "exceeded_grace"}) {
    const auto pod = killed_pod(progress(state));
    ASSERT_TRUE(pod) << state;
    EXPECT_EQ(pod->id, 7);
    EXPECT_EQ(pod->uid, "u-1");
  }
}

TEST(KilledPod, IsOfTheMomentOfItsStep) {
  const auto pod = killed_pod(progress("killed", R"(,"time":"1970-01-01T00:00:05Z")"));
  ASSERT_TRUE(pod);
  EXPECT_EQ(pod->seen_at, WallTime(std::chrono::seconds(5)));
}

TEST(KilledPod, IsNoneWhoseProcessesMayLive) {
  EXPECT_FALSE(killed_pod(progress("terminating")));
  EXPECT_FALSE(killed_pod(progress("exceeded_grace", R"(,"not_killed":"never_evict")")));
}

TEST(KilledPod, IsNoneOfADryRunAndNoneOfOtherLines) {
  for (const char* const line :
       {R"({"kind":"progress","id":7,"uid":"u","state":"killed","dry_run":true})",
        R"({"kind":"progress","id":7,"uid":"u","state":"killed"})",
        R"({"kind":"progress","id":"7","uid":"u","state":"killed","dry_run":false})",
        R"({"kind":"progress","id":7,"uid":"","state":"killed","dry_run":false})",
        R"({"kind":"decision","id":7,"uid":"u","state":"killed","dry_run":false})",
        R"(["progress"])", R"("progress)", ""}) {
    EXPECT_FALSE(killed_pod(line)) << line;
  }
}

}  // namespace
}  // namespace evictd::kube
