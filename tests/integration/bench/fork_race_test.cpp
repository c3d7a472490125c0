// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "fork_race/trial.h"
#include "load/stamp_log.h"
#include "load/stamp_writer.h"
#include "stage/scratch_directory.h"

namespace evictd::bench {
namespace {

constexpr PidRoom kRoom{.limit = 100, .threshold = 40};
constexpr std::int64_t kTasksBefore = 50;

/// The stamps of a bomb: fork n ends at n ms.
class BombStamps : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(scratch_) << scratch_.error().message();
    path_ = scratch_->path() / "stamps";
    Result<load::StampWriter> made = load::StampWriter::create({.path = path_,
                                                                .kind = load::LoadKind::kForks,
                                                                .batch = 1,
                                                                .page_bytes = 0,
                                                                .capacity = 64,
                                                                .usage_file = ""});
    ASSERT_TRUE(made) << made.error().message();
    writer_.emplace(std::move(*made));
    Result<load::StampLog> log = load::StampLog::open(path_);
    ASSERT_TRUE(log) << log.error().message();
    log_.emplace(std::move(*log));
  }

  void fork_up_to(std::uint64_t forks) {
    for (std::uint64_t n = log_->count() + 1; n <= forks; ++n) {
      writer_->add((n - 1) * 1'000'000, n * 1'000'000, n);
    }
  }

  /// Of a bomb that was killed, and was gone after 30 ms.
  [[nodiscard]] BombEvidence killed() const {
    return {.stamps = *log_,
            .tasks_before = kTasksBefore,
            .end = stage::ChildExit{.status = SIGKILL},
            .oom_kills = 0,
            .refused_by_cgroup = 0,
            .gone = load::to_mono_time(30'000'000)};
  }

  Result<stage::ScratchDirectory> scratch_ = stage::ScratchDirectory::create("evictd-test-");
  std::string path_;
  std::optional<load::StampWriter> writer_;
  std::optional<load::StampLog> log_;
};

TEST_F(BombStamps, CountTheForksAfterTheOneThatCrossed) {
  // The eleventh leaves 39.
  fork_up_to(14);
  const BombOutcome outcome = outcome_of(killed(), kRoom);
  EXPECT_TRUE(outcome.won());
  EXPECT_EQ(outcome.forks_past, 3.0);
  EXPECT_EQ(outcome.forking_past_ms, 3.0);
  EXPECT_EQ(outcome.to_gone_ms, 19.0);
}

TEST_F(BombStamps, WithoutTheOneThatCrossedAreNoSample) {
  fork_up_to(10);
  const BombOutcome outcome = outcome_of(killed(), kRoom);
  EXPECT_TRUE(outcome.won());
  EXPECT_FALSE(outcome.forks_past);
  EXPECT_FALSE(outcome.forking_past_ms);
  EXPECT_FALSE(outcome.to_gone_ms);
}

TEST_F(BombStamps, WithARefusedForkAreALossUnlessItsCgroupRefusedIt) {
  fork_up_to(14);
  writer_->add_refused();
  BombEvidence evidence = killed();
  EXPECT_TRUE(outcome_of(evidence, kRoom).limit_reached);
  EXPECT_FALSE(outcome_of(evidence, kRoom).won());
  evidence.refused_by_cgroup = 1;
  EXPECT_FALSE(outcome_of(evidence, kRoom).limit_reached);
  EXPECT_TRUE(outcome_of(evidence, kRoom).won());
}

TEST_F(BombStamps, WithAForkRefusedBeforeTheFirstSignalAreALoss) {
  fork_up_to(14);
  writer_->add_refused();
  BombEvidence evidence = killed();
  evidence.refused_by_cgroup = 1;
  ASSERT_TRUE(outcome_of(evidence, kRoom).won());
  writer_->add_refused_untold();
  EXPECT_TRUE(outcome_of(evidence, kRoom).refused_untold);
  EXPECT_FALSE(outcome_of(evidence, kRoom).won());
}

TEST_F(BombStamps, OfABombBesideWhichABystanderCouldNotForkAreALoss) {
  fork_up_to(14);
  BombEvidence evidence = killed();
  evidence.bystander_refused = 1;
  EXPECT_TRUE(outcome_of(evidence, kRoom).bystander_refused);
  EXPECT_FALSE(outcome_of(evidence, kRoom).won());
}

TEST(ForkingBystander, CountsTheForksThatWorkAndThoseThatDoNot) {
  const Result<ForkingBystander> bystander = ForkingBystander::start();
  ASSERT_TRUE(bystander) << bystander.error().message();
  while (bystander->forks() < 3) {
    std::this_thread::yield();
  }
  EXPECT_EQ(bystander->failed(), 0U);
}

TEST_F(BombStamps, OfABombThatTheOomKillerOrTheBenchEndedAreALoss) {
  fork_up_to(14);
  BombEvidence oom_killed = killed();
  oom_killed.oom_kills = 1;
  EXPECT_FALSE(outcome_of(oom_killed, kRoom).won());
  BombEvidence survived = killed();
  survived.end.reset();
  const BombOutcome outcome = outcome_of(survived, kRoom);
  EXPECT_FALSE(outcome.won());
  EXPECT_EQ(outcome.forks_past, 3.0);
  EXPECT_FALSE(outcome.to_gone_ms);
}

}  // namespace
}  // namespace evictd::bench
