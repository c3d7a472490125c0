// SPDX-License-Identifier: Apache-2.0
#include "kube/observe/observer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/system_clock.h"
#include "made.h"
#include "support/temporary_directory.h"

namespace evictd::kube {
namespace {

class ObserverTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Observer> start() {
    Result<std::unique_ptr<Observer>> observer =
        Observer::create({.state_directory = directory_.path().string(),
                          .window = std::chrono::minutes(5),
                          .loop = &loop_,
                          .clock = &clock_,
                          .log = &log_});
    EXPECT_TRUE(observer) << observer.error().message();
    return std::move(*observer);
  }
  static std::string dry_run(std::uint64_t seq, bool is_dry_run = true) {
    return nlohmann::json{{"schema", 1},
                          {"kind", "decision"},
                          {"seq", seq},
                          {"id", seq},
                          {"time", "2026-11-20T22:03:11.25Z"},
                          {"namespace", "n"},
                          {"name", "a"},
                          {"uid", "u"},
                          {"outcome", "evicted"},
                          {"state", "killed"},
                          {"resource", "memory"},
                          {"dry_run", is_dry_run}}
        .dump();
  }
  /// What it has to do by now.
  void turn() { ASSERT_TRUE(loop_.run_once()); }

  evictd::test::TemporaryDirectory directory_;
  base::SystemClock clock_;
  base::Log log_{{}, clock_, base::LogStream::kPlain};
  base::EventLoop loop_ = base::EventLoop::create().value();
};

TEST_F(ObserverTest, WhatWasSeenIsThereAfterARestartAndGoesOnFromThere) {
  {
    const std::unique_ptr<Observer> observer = start();
    EXPECT_NE(observer->follow_request().find("since"), std::string::npos);
    observer->on_line(dry_run(5));
    turn();
    EXPECT_EQ(observer->status()["kept"], 1);
  }
  const std::unique_ptr<Observer> observer = start();
  EXPECT_EQ(observer->follow_request(), R"({"after":5,"op":"follow"})");
  EXPECT_EQ(observer->comparisons()["comparisons"][0]["evictd"]["name"], "a");
  observer->on_line(dry_run(5));
  EXPECT_EQ(observer->status()["counters"]["decisions"], 0);
}

TEST_F(ObserverTest, AnEvictdThatEvictsItselfIsAProblemAndNoComparison) {
  const std::unique_ptr<Observer> observer = start();
  observer->on_line(dry_run(5, false));
  EXPECT_NE(observer->problem(), "");
  EXPECT_EQ(observer->status()["kept"], 0);
  EXPECT_EQ(observer->status()["counters"]["not_dry_run"], 1);
  observer->on_line(dry_run(6));
  EXPECT_EQ(observer->problem(), "");
}

TEST_F(ObserverTest, AFileThatCannotBeReadIsSetAside) {
  std::ofstream(directory_.path() / "comparisons") << "nonsense\n";
  const std::unique_ptr<Observer> observer = start();
  EXPECT_EQ(observer->status()["kept"], 0);
  EXPECT_TRUE(std::filesystem::exists(directory_.path() / "comparisons.damaged"));
}

TEST_F(ObserverTest, LostLinesMoveTheCursor) {
  const std::unique_ptr<Observer> observer = start();
  observer->on_line(R"({"schema":1,"kind":"skipped","after":3,"first":40})");
  EXPECT_EQ(observer->follow_request(), R"({"after":39,"op":"follow"})");
  EXPECT_EQ(observer->status()["counters"]["skipped"], 1);
}

}  // namespace
}  // namespace evictd::kube
