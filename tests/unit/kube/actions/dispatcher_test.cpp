// SPDX-License-Identifier: Apache-2.0
#include "kube/actions/dispatcher.h"

#include <gmock/gmock.h>

#include "made.h"
#include "support/temporary_directory.h"

namespace evictd::kube::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ActionDispatcher : public testing::Test {
 protected:
  void SetUp() override { make({}); }

  void make(Dispatcher::Options options) {
    options.node = "node1";
    options.random = [] { return 0.0; };
    options.on_given_up = [this](const std::string& what) { given_up_.push_back(what); };
    dispatcher_.emplace(queue_, std::move(options));
  }
  void evict(std::uint64_t seq) {
    const JournalLine line = evicted(seq, "u" + std::to_string(seq));
    ASSERT_TRUE(queue_.take(planned(line, queue_.state())));
  }
  /// What is asked at `now_`, and its answer.
  std::string answer(int status, const std::string& body = "", Duration retry_after = {}) {
    const std::optional<Ask> ask = dispatcher_->tick(now_, {});
    if (!ask) {
      return "nothing";
    }
    EXPECT_TRUE(dispatcher_->on_end(
        {.error = {}, .status = status, .retry_after = retry_after, .body = body}, now_));
    return ask->path.substr(ask->path.rfind('/') + 1);
  }

  evictd::test::TemporaryDirectory directory_;
  DurableQueue queue_ = *DurableQueue::open(directory_.path().string(), at("2026-01-01T00:00:00Z"));
  std::optional<Dispatcher> dispatcher_;
  std::vector<std::string> given_up_;
  MonoTime now_ = MonoTime{} + seconds(1000);
};

TEST_F(ActionDispatcher, StepsComeInOrder) {
  EXPECT_EQ(dispatcher_->due(), MonoTime::max());
  evict(5);
  for (const char* const expected : {"status", "eviction", "events", "events", "nothing"}) {
    EXPECT_EQ(answer(201), expected);
  }
  EXPECT_EQ(dispatcher_->due(), MonoTime::max());
  EXPECT_TRUE(queue_.state().entries().empty());
}

TEST_F(ActionDispatcher, EverythingWaitsForAServerThatIsNotWell) {
  evict(5);
  EXPECT_EQ(answer(503), "status");
  EXPECT_EQ(answer(200), "nothing");
  EXPECT_NE(dispatcher_->problem(), "");
  EXPECT_EQ(dispatcher_->due(), now_ + milliseconds(500));
  now_ += milliseconds(500);
  EXPECT_EQ(answer(429, "", seconds(7)), "status");
  EXPECT_EQ(dispatcher_->due(), now_ + seconds(7));
  now_ += seconds(7);
  EXPECT_EQ(answer(200), "status");
  EXPECT_EQ(dispatcher_->problem(), "");
}

TEST_F(ActionDispatcher, TroubleOfOneHoldsUpNoOther) {
  evict(5);
  evict(7);
  EXPECT_EQ(answer(500), "status");
  EXPECT_EQ(answer(201), "events") << "the next entry";
  EXPECT_EQ(queue_.state().entries().begin()->second.done, 0U);
}

TEST_F(ActionDispatcher, WhatTheServerHasNoAnswerForComesAfterAllOthers) {
  evict(5);
  evict(7);
  EXPECT_EQ(answer(504), "status") << "its namespace's webhook hangs";
  now_ += seconds(60);
  for (const char* const expected : {"events", "events", "status", "eviction"}) {
    EXPECT_EQ(answer(201), expected) << "of other entries";
  }
  EXPECT_THAT(answer(200), testing::StartsWith("node1.")) << "the node's event is counted";
  EXPECT_EQ(answer(201), "events");
  EXPECT_EQ(answer(504), "status");
  now_ += seconds(60);
  EXPECT_EQ(answer(200), "status") << "alone, and asked again";
  EXPECT_EQ(answer(201), "eviction");
}

TEST_F(ActionDispatcher, WhatFailsAgainAndAgainComesBehindWhatWasNotTried) {
  evict(5);
  EXPECT_EQ(answer(500), "status");
  now_ += seconds(60);
  EXPECT_EQ(answer(201), "events") << "the failed one is due, and waits for its turn";
  EXPECT_EQ(answer(201), "events");
  EXPECT_EQ(answer(500), "status");
}

TEST_F(ActionDispatcher, ARightThatIsMissingEndsAnEventButNoEviction) {
  evict(5);
  for (int i = 0; i < 200 && queue_.state().entries().size() == 2; ++i) {
    while (answer(403) != "nothing") {
    }
    now_ += seconds(60);
  }
  ASSERT_EQ(queue_.state().entries().size(), 1U);
  EXPECT_EQ(given_up_.size(), 3U) << "the status and two events";
  EXPECT_EQ(answer(403), "eviction");
}

TEST_F(ActionDispatcher, ABudgetMakesADeletion) {
  evict(5);
  const std::string budget = status_body("b", R"({"causes":[{"reason":"DisruptionBudget"}]})");
  EXPECT_EQ(answer(200), "status");
  EXPECT_EQ(answer(429, budget), "eviction");
  EXPECT_EQ(answer(200), "pod-u5");
  EXPECT_EQ(dispatcher_->counters().deletes, 1U);
}

TEST_F(ActionDispatcher, ABudgetThatIsRespectedIsAskedAgainLater) {
  Dispatcher::Options options;
  options.respects_budgets = true;
  make(options);
  evict(5);
  const std::string budget = status_body("b", R"({"causes":[{"reason":"DisruptionBudget"}]})");
  EXPECT_EQ(answer(200), "status");
  EXPECT_EQ(answer(429, budget), "eviction");
  EXPECT_EQ(answer(201), "events");
  EXPECT_EQ(answer(201), "events");
  EXPECT_EQ(answer(201), "nothing");
  now_ += seconds(1);
  EXPECT_EQ(answer(201), "eviction");
}

TEST_F(ActionDispatcher, AsksNoMoreOftenThanAllowed) {
  Dispatcher::Options options;
  options.requests_per_second = 10;
  make(options);
  for (std::uint64_t seq = 5; seq < 15; ++seq) {
    evict(seq);
  }
  int asked = 0;
  while (answer(201) != "nothing") {
    ++asked;
  }
  EXPECT_EQ(asked, 10);
  EXPECT_EQ(dispatcher_->due(), now_ + milliseconds(100));
  now_ += seconds(1);
  while (answer(201) != "nothing") {
    ++asked;
  }
  EXPECT_EQ(asked, 20);
}

}  // namespace
}  // namespace evictd::kube::test
