// SPDX-License-Identifier: Apache-2.0
// The bridge over a grace period: memory.high of a victim, lowered until it ends or is let live.
#include "enforce/bridge.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "actuator_on_v1.h"
#include "enforce/cgroup_actuator.h"
#include "private_pod.h"

namespace evictd::enforce::test {
namespace {

using std::chrono::seconds;
using enum EvictionState;

constexpr Start kBridged{.grace = seconds{30}, .bridge = true};

/// A pod in the cgroup2 hierarchy with the memory controller.
class BridgeOnV2 : public testing::Test {
 protected:
  void SetUp() override {
    if (!pod_.missing().empty()) {
      GTEST_SKIP() << pod_.missing();
    }
    for (const char* above : {"/../..", "/.."}) {
      std::ofstream(directory() + above + "/cgroup.subtree_control") << "+memory";
    }
    if (!std::filesystem::exists(directory() + "/memory.high")) {
      GTEST_SKIP() << "no memory controller on cgroup v2";
    }
    usage_.reset(::open((directory() + "/memory.current").c_str(), O_RDONLY | O_CLOEXEC));
  }

  [[nodiscard]] const std::string& directory() const { return pod_.directories()[0]; }
  /// The first word of a file of `cgroup`.
  [[nodiscard]] static std::string word(const std::string& cgroup, const char* file) {
    std::ifstream in(cgroup + "/" + file);
    std::string text;
    in >> text;
    return text;
  }
  [[nodiscard]] std::string high() const { return word(directory(), "memory.high"); }
  /// How often the pod was held back for being above its memory.high.
  [[nodiscard]] int times_throttled() const {
    std::ifstream in(directory() + "/memory.events");
    std::string name;
    for (int count = 0; in >> name >> count;) {
      if (name == "high") {
        return count;
      }
    }
    return -1;
  }
  KillTarget& target() {
    KillTarget::Options options = pod_.options();
    options.usage_fd = usage_.get();
    options.keep_memory_high = true;
    return pod_.open_target(options);
  }

  PrivatePod pod_{PrivatePod::Kind::kV2};
  base::Fd usage_;
  std::unique_ptr<CgroupActuator> actuator_ = pod_.actuator();
};

TEST_F(BridgeOnV2, AHogIsThrottledAndEndsByItselfInItsGrace) {
  const std::string bystander = directory() + "/../bystander";
  ASSERT_TRUE(std::filesystem::create_directory(bystander));
  const pid_t hog = pod_.start(Behaviour::kGrowUntilTerm);
  while (std::stoll(word(directory(), "memory.current")) < (64_MiB).value) {
  }

  const Result<SignalReport> report = actuator_->begin(target(), kBridged, kStart);
  ASSERT_TRUE(report) << report.error().message();
  ASSERT_EQ(report->bridge.state, BridgeState::kSet);
  EXPECT_EQ(report->bridge.before, kNoHigh);
  EXPECT_GT(report->bridge.set, 64_MiB);
  EXPECT_EQ(word(bystander, "memory.high"), "max");

  EXPECT_EQ(await_end(hog), 0) << "no signal ended it";
  EXPECT_GT(times_throttled(), 0);
  ASSERT_TRUE(await(*actuator_, kReleased, kStart));
  EXPECT_EQ(actuator_->counters().sigkills, 0U);
  EXPECT_EQ(high(), "max");
  EXPECT_EQ(actuator_->counters().bridges_set, 1U);
  EXPECT_EQ(actuator_->counters().bridges_put_back, 1U);
}

TEST_F(BridgeOnV2, IsLiftedWithTheSigkill) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  ASSERT_TRUE(actuator_->begin(target(), kBridged, kStart));
  EXPECT_NE(high(), "max");

  actuator_->on_deadline(kStart + seconds{30});

  EXPECT_EQ(high(), "max");
  EXPECT_EQ(await_end(process), SIGKILL);
}

TEST_F(BridgeOnV2, IsLiftedFromAPodThatIsLetLive) {
  const std::string before = std::to_string((1_GiB).value);
  write_file(directory() + "/memory.high", before);
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  KillTarget& opened = target();
  const Result<SignalReport> report = actuator_->begin(opened, kBridged, kStart);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->bridge.before, 1_GiB);
  EXPECT_EQ(high(), std::to_string(report->bridge.set.value));
  opened.set_protection(Protection::kCritical);

  actuator_->on_deadline(kStart + seconds{30});

  EXPECT_EQ(high(), before);
  EXPECT_TRUE(alive(process));
}

TEST_F(BridgeOnV2, IsLiftedWhenTheActuatorEnds) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  ASSERT_TRUE(actuator_->begin(target(), kBridged, kStart));
  EXPECT_NE(high(), "max");

  actuator_.reset();

  EXPECT_EQ(high(), "max");
  EXPECT_TRUE(alive(process));
}

TEST_F(BridgeOnV2, IsLiftedThroughATargetMadeAnew) {
  const pid_t process = pod_.start(Behaviour::kIgnoreTerm);
  ASSERT_TRUE(actuator_->begin(target(), kBridged, kStart));
  actuator_->replace(target());
  EXPECT_NE(high(), "max");

  actuator_->on_deadline(kStart + seconds{30});

  EXPECT_EQ(high(), "max");
  EXPECT_EQ(await_end(process), SIGKILL);
}

TEST_F(BridgeOnV2, OfAnEvictdThatWasKilledIsLiftedByTheNext) {
  KillTarget& opened = target();
  {
    Bridge bridge;
    bridge.use(opened.open_memory_high());
    ASSERT_EQ(bridge.set([&opened] { return opened.usage(); }).state, BridgeState::kSet);
  }
  EXPECT_NE(high(), "max");

  EXPECT_EQ(restore_memory_high(opened), BridgeEnd::kPutBack);

  EXPECT_EQ(high(), "max");
  EXPECT_EQ(restore_memory_high(opened), BridgeEnd::kNothing);
}

TEST_F(BridgeOnV2, IsNotSetForWhatDidNotAskForIt) {
  pod_.start(Behaviour::kIgnoreTerm);

  const Result<SignalReport> report = actuator_->begin(target(), seconds{30}, kStart);

  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->bridge.state, BridgeState::kNotWanted);
  EXPECT_EQ(high(), "max");
}

TEST_F(CgroupActuatorOnV1, ABridgeIsImpossibleAndCounted) {
  pod_.start(Behaviour::kIgnoreTerm);
  KillTarget::Options options = pod_.options();
  options.keep_memory_high = true;

  const Result<SignalReport> report = actuator_->begin(pod_.open_target(options), kBridged, kStart);

  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->signal, SIGTERM);
  EXPECT_EQ(report->bridge.state, BridgeState::kNoFile);
  const auto no_file = static_cast<std::size_t>(BridgeState::kNoFile);
  EXPECT_EQ(actuator_->counters().bridges_not_set.at(no_file), 1U);
  EXPECT_EQ(actuator_->counters().bridges_set, 0U);
}

}  // namespace
}  // namespace evictd::enforce::test
