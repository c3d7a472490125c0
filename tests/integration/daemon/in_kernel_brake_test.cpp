// SPDX-License-Identifier: Apache-2.0
// The whole daemon with the kernel side allowed to kill. Which of the two comes first depends on
// the machine; who dies, and what is told of it, does not.
#include <csignal>

#include "arena.h"

namespace evictd::daemon::test {
namespace {

class InKernelBrake : public Arena {
 protected:
  [[nodiscard]] Json config(std::string_view brake) const {
    Json made = memory_config(Source::kEvents);
    made["inKernelBrake"] = brake;
    return made;
  }
};

TEST_F(InKernelBrake, TheHogAloneDiesAndItsRecordSaysByWhom) {
  const Actor& small = add({.name = "small"}, kModest);
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(config("immediate"));

  hog.load.go();
  const auto end = hog.await_end();

  ASSERT_TRUE(end) << log();
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  const Json record = await_record(hog, "");
  const Json counters = status()["counters"];
  EXPECT_EQ(counters["evictions"], 1) << log();
  EXPECT_TRUE(small.alive());
  EXPECT_EQ(tree_->oom_kills().value_or(-1), 0);
  const Json& backstop = counters["backstop"];
  ASSERT_TRUE(backstop.is_object()) << "no row of the ladder serves it";
  EXPECT_EQ(backstop["fired"], record["kernel_kill"].is_null() ? 0 : 1) << record.dump(1);
  EXPECT_GE(
      backstop["armed"].get<int>(),
      backstop["fired"].get<int>() + backstop["taken"].get<int>() + backstop["expired"].get<int>());
  EXPECT_EQ(backstop["no_plan"].size(), 8U) << backstop.dump(1);
}

TEST_F(InKernelBrake, IsLoadedWithAGraceOfZero) {
  add({.name = "small"}, kModest);
  Json made = memory_config(Source::kEvents);
  made.erase("inKernelBrake");
  start_daemon(made);
  EXPECT_TRUE(status()["counters"]["backstop"].is_object());
}

TEST_F(InKernelBrake, IsWarnedOfIfItsDefaultNeedsARestart) {
  constexpr std::string_view kWarning = "inKernelBrake is backstop by default now";
  add({.name = "small"}, kModest);
  Json made = memory_config(Source::kEvents);
  made.erase("inKernelBrake");
  made["hardEvictionGracePeriodSeconds"] = 30;
  start_daemon(made);
  EXPECT_EQ(lines_with(log(), kWarning), 0U) << log();
  made["hardEvictionGracePeriodSeconds"] = 0;
  reload(made.dump(2));
  EXPECT_EQ(lines_with(log(), kWarning), 1U) << log();
  reload(made.dump(2));
  EXPECT_EQ(lines_with(log(), kWarning), 1U) << log();
}

TEST_F(InKernelBrake, IsNotLoadedUnlessItIsWanted) {
  add({.name = "small"}, kModest);
  start_daemon(config("off"));
  const Json seen = status();
  EXPECT_TRUE(seen["counters"]["backstop"].is_null());
  EXPECT_EQ(seen["hooks"]["backstop"], "off");
}

}  // namespace
}  // namespace evictd::daemon::test
