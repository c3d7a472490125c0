// SPDX-License-Identifier: Apache-2.0
// What the hot thread asks of filesystems, and when it goes on with a pass that waited for them.
#include <gtest/gtest.h>

#include "driven_hot_loop.h"

namespace evictd::daemon {
namespace {

using disk::Role;

/// Nothing but an answer of a filesystem comes by itself.
class HotLoopWithFullDisks : public DrivenHotLoop {
 protected:
  HotLoopWithFullDisks(const std::string& thresholds, PodEvents events)
      : DrivenHotLoop(
            "pollInterval: 10s\npodStorage: {maxWait: 2s}\nevictionHard: " + thresholds + "\n",
            events, Besides::kDisks) {
    read_both();
  }
  void read_both() {
    for (const Role role : {Role::kNodeFs, Role::kImageFs}) {
      filesystems_.read(role, 50_MiB);
    }
  }
  /// Whatever the hot thread was woken for before has had its turn.
  void let_it_turn() {
    for (int i = 0; i < 5; ++i) {
      send(PlacePod{.slot = 1, .pod = nullptr});
      ASSERT_TRUE(next<RetirePod>());
    }
  }
  [[nodiscard]] std::uint64_t disk_passes() const {
    return counters_.passes[static_cast<std::size_t>(PassTrigger::kDisk)].load();
  }
};

class HotLoopWithTwoFullDisks : public HotLoopWithFullDisks {
 protected:
  HotLoopWithTwoFullDisks()
      : HotLoopWithFullDisks("{nodefs.available: 100Mi, imagefs.available: 100Mi}",
                             PodEvents::kTold) {}
};

TEST_F(HotLoopWithTwoFullDisks, TheAnswerOfOneDoesNotHaveTheOtherAskedAnew) {
  start();
  ASSERT_TRUE(next<PassDone>());
  for (std::uint64_t answers = 1; answers <= 3; ++answers) {
    filesystems_.read(answers % 2 == 0 ? Role::kImageFs : Role::kNodeFs, 50_MiB);
    filesystems_.answer();
    const auto done = next<PassDone>();
    ASSERT_TRUE(done);
    EXPECT_EQ(done->trigger, PassTrigger::kDisk);
    let_it_turn();
    EXPECT_EQ(disk_passes(), answers);
  }
  EXPECT_EQ(filesystems_.asked(Role::kNodeFs), 0);
  EXPECT_EQ(filesystems_.asked(Role::kImageFs), 0);
}

TEST_F(HotLoopWithTwoFullDisks, BothAreAskedOnceForAPassThatSomethingElseWanted) {
  start();
  ASSERT_TRUE(next<PassDone>());
  send(engine::PassRequested{});
  ASSERT_TRUE(next<PassDone>());
  EXPECT_EQ(filesystems_.asked(Role::kNodeFs), 1);
  EXPECT_EQ(filesystems_.asked(Role::kImageFs), 1);

  read_both();
  filesystems_.answer();
  ASSERT_TRUE(next<PassDone>());
  let_it_turn();
  EXPECT_EQ(filesystems_.asked(Role::kNodeFs), 1);
  EXPECT_EQ(filesystems_.asked(Role::kImageFs), 1);
}

/// A nodefs that is short and filling, and two pods that are walked.
class HotLoopWithAFillingDisk : public HotLoopWithFullDisks {
 protected:
  static constexpr std::int64_t kRate = (100_MiB).value;

  HotLoopWithAFillingDisk() : HotLoopWithFullDisks("{nodefs.available: 100Mi}", PodEvents::kTold) {
    filesystems_.read(Role::kNodeFs, 50_MiB, kRate);
    send(PlacePod{.slot = 1, .pod = node_.pod(1, "innocent", 10_MiB)});
    send(PlacePod{.slot = 2, .pod = node_.pod(2, "filler", 10_MiB)});
  }
  void tell(std::uint32_t slot, Bytes counted, std::uint64_t round, bool cut_short) {
    auto storage = std::make_unique<HotStorage>();
    storage->pod = {.hierarchy = 0, .id = slot};
    storage->counted.volume_bytes = counted.value;
    storage->disk = storage->counted;
    storage->round = round;
    storage->cut_short = cut_short;
    send(UseStorage{.slot = slot, .storage = loans_.lend(std::move(storage))});
  }
  /// A newer reading, and the pass that it wakes.
  void fall_to(Bytes available) {
    filesystems_.read(Role::kNodeFs, available, kRate);
    filesystems_.answer();
  }
  void expect_wait() {
    const auto done = next<PassDone>();
    ASSERT_TRUE(done && done->copy);
    EXPECT_EQ(done->copy->decision.reason, eviction::Reason::kUsagePending);
  }
  void expect_victim(const std::string& uid) {
    // Nobody is there in a tree of files; that it was decided on is what counts.
    const auto refused = next<EvictionRefused>();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->victim->uid, uid);
    EXPECT_FALSE(dropped<EvictionRefused>());
  }
};

TEST_F(HotLoopWithAFillingDisk, FillerIsChosenInTimeThoughTheWalkTakesLonger) {
  start();
  const auto asked = next_need<engine::MeasurePods>();
  ASSERT_TRUE(asked);
  expect_wait();
  tell(1, 8_MiB, asked->round, /*cut_short=*/true);
  tell(2, 20_MiB, asked->round, /*cut_short=*/true);
  send(engine::PodsMeasured{.round = asked->round, .under_way = true});
  ASSERT_TRUE(next<PassDone>());
  fall_to(40_MiB);
  expect_wait();
  // 0.4 s are left, and a quarter of them is kept.
  clock_.advance(std::chrono::milliseconds(301));
  fall_to(10_MiB);
  expect_victim("filler");
}

TEST_F(HotLoopWithAFillingDisk, TheFillerIsChosenAtOnceWhenAllOthersAreMeasured) {
  start();
  const auto asked = next_need<engine::MeasurePods>();
  ASSERT_TRUE(asked);
  expect_wait();
  tell(1, 8_MiB, asked->round, /*cut_short=*/false);
  tell(2, 20_MiB, asked->round, /*cut_short=*/true);
  send(engine::PodsMeasured{.round = asked->round, .under_way = true});
  ASSERT_TRUE(next<PassDone>());
  fall_to(49_MiB);
  expect_victim("filler");
}

TEST_F(HotLoopWithAFillingDisk, WithTimeEnoughTheChoiceIsThatOfTheWholeMeasurement) {
  filesystems_.read(Role::kNodeFs, 50_MiB, 1000);
  start();
  const auto asked = next_need<engine::MeasurePods>();
  ASSERT_TRUE(asked);
  expect_wait();
  tell(1, 8_MiB, asked->round, /*cut_short=*/true);
  tell(2, 20_MiB, asked->round, /*cut_short=*/true);
  send(engine::PodsMeasured{.round = asked->round, .under_way = true});
  ASSERT_TRUE(next<PassDone>());
  filesystems_.read(Role::kNodeFs, 49_MiB, 1000);
  filesystems_.answer();
  expect_wait();
  tell(1, 30_MiB, asked->round, /*cut_short=*/false);
  tell(2, 20_MiB, asked->round, /*cut_short=*/false);
  send(engine::PodsMeasured{.round = asked->round});
  ASSERT_TRUE(next<PassDone>());
  filesystems_.read(Role::kNodeFs, 48_MiB, 1000);
  filesystems_.answer();
  expect_victim("innocent");
}

TEST_F(HotLoopWithAFillingDisk, UnmeasuredFillerMakesNoInnocentPodTheVictim) {
  start();
  const auto asked = next_need<engine::MeasurePods>();
  ASSERT_TRUE(asked);
  expect_wait();
  tell(1, 8_MiB, asked->round, /*cut_short=*/false);
  send(engine::PodsMeasured{.round = asked->round, .under_way = true});
  ASSERT_TRUE(next<PassDone>());
  clock_.advance(std::chrono::milliseconds(401));
  fall_to(10_MiB);
  expect_wait();
  EXPECT_FALSE(dropped<EvictionRefused>());
}

}  // namespace
}  // namespace evictd::daemon
