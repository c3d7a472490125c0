// SPDX-License-Identifier: Apache-2.0
#include "kube/kubelet_source.h"

#include <gtest/gtest.h>

#include "recorded.h"
#include "recording_sink.h"

namespace evictd::kube {
namespace {

using test::answer_of;
using test::at_ms;

class KubeletSourceTest : public testing::Test {
 protected:
  /// A question that must be asked at this moment, and its answer at once.
  void answer(std::int64_t ms, const Answer& answer) {
    ASSERT_TRUE(source_.tick(at_ms(ms))) << ms;
    source_.on_end(answer, at_ms(ms));
  }

  test::RecordingSink sink_;
  KubeletSource source_{{.sink = &sink_, .random = [] { return 0.0; }}};
  std::string list_ = test::list_json({test::pod_json("a")}, "1");
};

TEST_F(KubeletSourceTest, AsksAtItsInterval) {
  const auto ask = source_.tick(at_ms(0));
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->path, "/pods");
  EXPECT_FALSE(source_.tick(at_ms(5))) << "one at a time";
  source_.on_end(answer_of(list_), at_ms(5));
  EXPECT_EQ(sink_.uids, std::set<std::string>{"a"});
  EXPECT_EQ(sink_.confirmed, at_ms(5));
  EXPECT_EQ(source_.due(), at_ms(10'000));
  EXPECT_FALSE(source_.tick(at_ms(9'999)));
  EXPECT_TRUE(source_.tick(at_ms(10'000)));
}

TEST_F(KubeletSourceTest, AsksAtOnceForAPodThatNobodyDescribed) {
  answer(0, answer_of(list_));
  source_.on_unknown_pod(at_ms(3'000));
  EXPECT_EQ(source_.due(), at_ms(3'000));
  ASSERT_TRUE(source_.tick(at_ms(3'000)));
  source_.on_unknown_pod(at_ms(3'010));
  source_.on_end(answer_of(list_), at_ms(3'020));
  EXPECT_EQ(source_.due(), at_ms(3'200)) << "the answer may not have it yet; no flood";
}

TEST_F(KubeletSourceTest, AFailureTellsNothingOfPods) {
  answer(0, answer_of(list_));
  std::int64_t now = 10'000;
  for (const Answer& bad :
       {answer_of("", 500), answer_of("", 401), answer_of("", 404), test::no_answer(),
        answer_of("garbage"), answer_of(list_.substr(0, 40)), answer_of("{}")}) {
    answer(now, bad);
    EXPECT_EQ(sink_.lists, 1);
    EXPECT_NE(source_.problem(), "");
    EXPECT_GT(source_.due(), at_ms(now));
    EXPECT_LE(source_.due(), at_ms(now + 10'000));
    now += 20'000;
  }
  EXPECT_EQ(sink_.confirmed, at_ms(0));
  const SourceCounters& counters = source_.counters();
  EXPECT_EQ(counters.failures, 7U);
  EXPECT_EQ(counters.unauthorized, 1U);
  EXPECT_EQ(counters.other_status, 2U);
  EXPECT_EQ(counters.unreachable, 1U);
  EXPECT_EQ(counters.malformed, 3U);
  answer(now, answer_of(list_));
  EXPECT_EQ(source_.problem(), "");
}

TEST_F(KubeletSourceTest, WaitsAsLongAsItIsAskedTo) {
  Answer throttled = answer_of("", 429);
  throttled.retry_after = std::chrono::seconds(30);
  answer(0, throttled);
  EXPECT_EQ(source_.due(), at_ms(30'000));
  EXPECT_EQ(source_.counters().throttled, 1U);
}

}  // namespace
}  // namespace evictd::kube
