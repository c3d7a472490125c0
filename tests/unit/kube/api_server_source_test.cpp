// SPDX-License-Identifier: Apache-2.0
#include "kube/api_server_source.h"

#include <gtest/gtest.h>

#include "recorded.h"
#include "recording_sink.h"

namespace evictd::kube {
namespace {

using std::chrono::seconds;
using test::answer_of;
using test::at_ms;

class ApiServerSourceTest : public testing::Test {
 protected:
  [[nodiscard]] std::string asked(std::int64_t ms) {
    const std::optional<Ask> ask = source_.tick(at_ms(ms));
    return ask ? ask->path : "nothing";
  }
  /// Listed with pod "a" at version 10, and a watch that is open.
  void open_watch() {
    ASSERT_NE(asked(0), "nothing");
    source_.on_end(answer_of(test::list_json({test::pod_json("a")}, "10")), at_ms(0));
    ASSERT_NE(asked(0), "nothing");
    source_.on_head(200, at_ms(0));
  }
  [[nodiscard]] bool tell(const std::string& type, const std::string& object, std::int64_t ms) {
    return source_.on_data(R"({"type":")" + type + R"(","object":)" + object + "}\n", at_ms(ms));
  }
  [[nodiscard]] static std::string bookmark(const std::string& version) {
    return R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":")" + version + "\"}}";
  }
  /// Ends a watch, or what was broken off.
  void end(std::int64_t ms) { source_.on_end(answer_of(""), at_ms(ms)); }

  static constexpr const char* kPods = "/api/v1/pods?fieldSelector=spec.nodeName%3Dnode1";

  test::RecordingSink sink_;
  ApiServerSource source_{{.rules = {.node = "node1"},
                           .watch_time = seconds(300),
                           .silence_limit = seconds(120),
                           .sink = &sink_,
                           .random = [] { return 0.0; }}};
};

TEST_F(ApiServerSourceTest, ListsAndThenWatchesFromThere) {
  EXPECT_EQ(asked(0), std::string(kPods) + "&resourceVersion=0");
  source_.on_end(answer_of(test::list_json({test::pod_json("a")}, "10")), at_ms(5));
  EXPECT_EQ(sink_.uids, std::set<std::string>{"a"});
  EXPECT_EQ(asked(5), std::string(kPods) +
                          "&watch=true&allowWatchBookmarks=true&resourceVersion=10"
                          "&timeoutSeconds=300");
}

TEST_F(ApiServerSourceTest, FollowsWhatAWatchTells) {
  open_watch();
  EXPECT_TRUE(tell("ADDED", test::pod_json("b", "11"), 1));
  EXPECT_TRUE(tell("DELETED", test::pod_json("a", "12"), 2));
  EXPECT_EQ(sink_.uids, std::set<std::string>{"b"});
  EXPECT_TRUE(tell("BOOKMARK", bookmark("40"), 60'000));
  EXPECT_EQ(sink_.confirmed, at_ms(60'000));
  end(300'000);
  EXPECT_NE(asked(300'000).find("watch=true&allowWatchBookmarks=true&resourceVersion=40&"),
            std::string::npos)
      << "the bookmark's";
}

TEST_F(ApiServerSourceTest, TakesALineInPieces) {
  open_watch();
  const std::string line = R"({"type":"ADDED","object":)" + test::pod_json("b", "11") + "}\n";
  for (const char byte : line) {
    ASSERT_TRUE(source_.on_data({&byte, 1}, at_ms(1)));
  }
  EXPECT_TRUE(sink_.uids.contains("b"));
}

TEST_F(ApiServerSourceTest, ListsWhatIsStoredAfterGone) {
  open_watch();
  EXPECT_FALSE(tell("ERROR", R"({"kind":"Status","code":410,"message":"too old"})", 1));
  end(2);
  EXPECT_EQ(asked(2), "nothing") << "backs off";
  EXPECT_EQ(asked(1'000), kPods);
  EXPECT_EQ(source_.counters().expired, 1U);
  EXPECT_EQ(sink_.uids, std::set<std::string>{"a"}) << "nothing was forgotten";
}

TEST_F(ApiServerSourceTest, ListsAnewWhereAWatchIsRefusedAsGone) {
  ASSERT_NE(asked(0), "nothing");
  source_.on_end(answer_of(test::list_json({test::pod_json("a")}, "10")), at_ms(0));
  ASSERT_NE(asked(0), "nothing");
  source_.on_head(410, at_ms(0));
  source_.on_end(answer_of("", 410), at_ms(0));
  EXPECT_EQ(asked(1'000), kPods);
}

TEST_F(ApiServerSourceTest, AWatchThatGoesSilentIsGivenUp) {
  open_watch();
  EXPECT_EQ(source_.due(), at_ms(120'000));
  EXPECT_FALSE(source_.must_cancel(at_ms(119'999)));
  EXPECT_TRUE(source_.must_cancel(at_ms(120'000)));
  source_.on_end(test::no_answer(), at_ms(120'000));
  EXPECT_EQ(source_.counters().silent_watches, 1U);
  EXPECT_NE(asked(121'000).find("watch=true"), std::string::npos) << "goes on where it was";
}

TEST_F(ApiServerSourceTest, AWatchThatIsCutGoesOnWhereItWas) {
  open_watch();
  EXPECT_TRUE(tell("ADDED", test::pod_json("b", "11"), 1));
  EXPECT_TRUE(source_.on_data(R"({"type":"ADDED","obj)", at_ms(2)));
  end(3);
  EXPECT_EQ(source_.counters().cut_watches, 1U);
  EXPECT_NE(asked(1'000).find("resourceVersion=11&"), std::string::npos);
}

TEST_F(ApiServerSourceTest, GarbageInAWatchListsAnew) {
  open_watch();
  EXPECT_FALSE(source_.on_data("garbage\n", at_ms(1)));
  end(1);
  EXPECT_EQ(asked(1'000), kPods);
  EXPECT_EQ(source_.counters().malformed, 1U);
}

TEST_F(ApiServerSourceTest, ALineWithoutAnEndIsBounded) {
  open_watch();
  const std::string piece(std::size_t{1} << 20U, ' ');
  int taken = 0;
  while (source_.on_data(piece, at_ms(1))) {
    ASSERT_LT(++taken, 20);
  }
  end(1);
  EXPECT_EQ(asked(1'000), kPods);
}

TEST_F(ApiServerSourceTest, FailuresBackOffAndTellNothing) {
  std::int64_t now = 0;
  std::int64_t before = 0;
  for (const int status : {401, 403, 404, 429, 500}) {
    ASSERT_NE(asked(now), "nothing");
    source_.on_end(answer_of("", status), at_ms(now));
    const auto wait = source_.due() - at_ms(now);
    EXPECT_GT(wait.count(), before);
    before = wait.count();
    now += 60'000;
  }
  EXPECT_EQ(sink_.lists, 0);
  EXPECT_EQ(sink_.confirmed, MonoTime{});
}

TEST_F(ApiServerSourceTest, AnEmptyListIsAskedForAgainBeforeItIsBelieved) {
  sink_.uids = {"a"};
  ASSERT_NE(asked(0), "nothing");
  source_.on_end(answer_of(test::list_json({}, "10")), at_ms(0));
  EXPECT_EQ(sink_.lists, 0);
  EXPECT_EQ(asked(0), kPods) << "of what is stored";
  source_.on_end(answer_of(test::list_json({}, "11")), at_ms(0));
  EXPECT_TRUE(sink_.uids.empty());
}

TEST_F(ApiServerSourceTest, AWatchThatEndsAtOnceIsNotBegunInALoop) {
  open_watch();
  end(0);
  EXPECT_EQ(asked(0), "nothing");
  EXPECT_NE(asked(1'000), "nothing");
}

TEST_F(ApiServerSourceTest, AManifestThatWasNotWrittenListsAnew) {
  open_watch();
  source_.on_write_failed(at_ms(1));
  EXPECT_TRUE(source_.must_cancel(at_ms(1)));
  source_.on_end(test::no_answer(), at_ms(1));
  EXPECT_EQ(asked(1), "nothing") << "not in a loop, however long a disk is full";
  EXPECT_EQ(asked(1'000), kPods);
}

TEST_F(ApiServerSourceTest, APodThatIsRefusedDoesNotEndTheWatch) {
  open_watch();
  EXPECT_TRUE(tell("ADDED", test::pod_json("../b", "11"), 1));
  EXPECT_TRUE(tell("ADDED", test::pod_json("c", "12"), 1));
  EXPECT_EQ(sink_.uids, (std::set<std::string>{"a", "c"}));
  EXPECT_EQ(source_.counters().refused_pods, 1U);
}

}  // namespace
}  // namespace evictd::kube
