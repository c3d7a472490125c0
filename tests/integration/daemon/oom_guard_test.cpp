// SPDX-License-Identifier: Apache-2.0
// The OOM guard on a machine whose memory is used up, and what is said of it on any.
#include <csignal>
#include <optional>
#include <string>

#include "arena.h"
#include "must.h"
#include "stage/text_file.h"
#include "support/test_swap.h"

namespace evictd::daemon::test {
namespace {

using evictd::test::machine_is_ours;
using evictd::test::TestSwap;

/// The kernel has nothing left to give long before so little is available by the kubelet's rule.
constexpr const char* kNeverReached = "1Mi";

class OomGuard : public Arena {
 protected:
  [[nodiscard]] Json config_with(const Json& more) const {
    Json config = base_config(Source::kEvents);
    config["evictionHard"] = {{"memory.available", kNeverReached}};
    config.update(more);
    return config;
  }
  [[nodiscard]] static std::int64_t oom_kills() {
    return must(stage::number_after(must(stage::read_text("/proc/vmstat")), "oom_kill"));
  }
  /// Without an end, and whom the kernel would choose.
  Actor& add_endless_hog() {
    Actor& hog = add_hog({.name = "hog"}, 0);
    must(stage::write_kernel_file(
        "/proc/" + std::to_string(hog.load.child().pid()) + "/oom_score_adj", "1000"));
    return hog;
  }
};

TEST_F(OomGuard, ItsDistanceIsInTheStatus) {
  add({.name = "pod"}, kModest);
  start_daemon(config_with(Json::object()));
  const Json guard = await_status(
      [](const Json& now) { return now["oom_guard"]["left"].is_number(); })["oom_guard"];
  EXPECT_EQ(guard["on"], true);
  EXPECT_EQ(guard["armed"], true);
  EXPECT_EQ(guard["watched_by_kernel"], true);
  EXPECT_EQ(guard["due"], false);
  EXPECT_GT(guard["left"].get<std::int64_t>(), guard["due_below"].get<std::int64_t>());
  EXPECT_GT(guard["due_below"].get<std::int64_t>(), -1);
}

TEST_F(OomGuard, IsNotArmedWithoutAHardThresholdOfTheNodesMemory) {
  add({.name = "pod"}, kModest);
  limit_memory();
  start_daemon(memory_config(Source::kEvents));
  const Json guard = status()["oom_guard"];
  EXPECT_EQ(guard["on"], true);
  EXPECT_EQ(guard["armed"], false);
}

TEST_F(OomGuard, MayBeSwitchedOffByAReload) {
  add({.name = "pod"}, kModest);
  start_daemon(config_with(Json::object()));
  reload(config_with({{"oomGuard", "off"}}).dump());
  const Json guard =
      await_status([](const Json& now) { return now["oom_guard"]["on"] == false; })["oom_guard"];
  EXPECT_EQ(guard["armed"], false);
}

class OomGuardInNeed : public OomGuard, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    if (!machine_is_ours()) {
      GTEST_SKIP() << "uses up the memory of the machine: vm.* runs it";
    }
    OomGuard::SetUp();
    if (GetParam() == "zram") {
      must(stage::write_kernel_file("/sys/block/zram0/reset", "1"));
      must(stage::write_kernel_file("/sys/block/zram0/disksize", std::to_string(TestSwap::kSize)));
      swap_.emplace("/dev/zram0");
      ASSERT_TRUE(swap_->on());
    }
  }

  std::optional<TestSwap> swap_;
};
INSTANTIATE_TEST_SUITE_P(With, OomGuardInNeed, testing::Values("noswap", "zram"),
                         [](const auto& swap) { return std::string(swap.param); });

TEST_P(OomGuardInNeed, EndsTheHogBeforeTheKernelHasToChoose) {
  const Actor& small = add({.name = "small"}, kModest);
  Actor& hog = add_endless_hog();
  start_daemon(config_with(Json::object()));
  const std::int64_t before = oom_kills();

  hog.load.go();
  const auto end = hog.await_end();

  ASSERT_TRUE(end) << log();
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  EXPECT_EQ(oom_kills(), before) << "the kernel had to choose";
  const Json record = await_record(hog);
  EXPECT_EQ(record["outcome"], "oom_guard");
  EXPECT_EQ(record["oom_guard"]["due"], true);
  EXPECT_GT(record["oom_guard"]["rate"].get<std::int64_t>(), 0);
  EXPECT_GT(record["available"].get<std::int64_t>(), kMiB) << "the threshold was met";
  EXPECT_TRUE(small.alive());
}

}  // namespace
}  // namespace evictd::daemon::test
