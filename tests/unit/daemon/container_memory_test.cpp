// SPDX-License-Identifier: Apache-2.0
#include "daemon/pods/container_memory.h"

#include <gtest/gtest.h>

#include <string>

#include "support/fake_cgroups.h"

namespace evictd::daemon {
namespace {

constexpr MonoTime kStart{std::chrono::seconds(1000)};

/// Stands still until it is moved.
class StoppedClock final : public core::Clock {
 public:
  [[nodiscard]] MonoTime now() const override { return now_; }
  [[nodiscard]] WallTime wall_now() const override { return {}; }
  void advance(Duration by) { now_ += by; }

 private:
  MonoTime now_ = kStart;
};

/// Pods whose containers' memory is read from the files of a fake v2 hierarchy.
class SampledContainers : public testing::Test {
 protected:
  /// 64 digits.
  [[nodiscard]] static std::string id_of(std::size_t number) {
    const std::string digits = std::to_string(number);
    return std::string(64 - digits.size(), '0') + digits;
  }
  [[nodiscard]] static std::string path_of(const std::string& uid, std::size_t number) {
    return "/kubepods/pod" + uid + "/" + id_of(number);
  }
  void use(const std::string& uid, std::size_t number, Bytes usage, Bytes inactive = Bytes{0}) {
    const std::string directory = "/sys/fs/cgroup" + path_of(uid, number);
    tree_.write(directory + "/memory.current", std::to_string(usage.value) + "\n");
    tree_.write(directory + "/memory.stat",
                "inactive_file " + std::to_string(inactive.value) + "\n");
  }
  /// A pod with so many containers called "c1", "c2" and so on, which use nothing yet.
  void add_pod(const std::string& uid, std::size_t containers) {
    cluster::PodEntry& entry = table_.entries.emplace_back();
    entry.uid = uid;
    entry.cgroup.emplace().path = "/kubepods/pod" + uid;
    for (std::size_t number = 1; number <= containers; ++number) {
      const std::string id = id_of(number);
      entry.cgroup->containers.push_back({.id = id, .path = path_of(uid, number), .memory_id = {}});
      entry.pod.container_statuses.push_back({.name = "c" + std::to_string(number), .id = id});
      use(uid, number, Bytes{0});
    }
  }
  void refresh() { memory_.refresh(table_, layout_); }
  void next_round() {
    clock_.advance(ContainerMemory::kInterval);
    refresh();
  }
  /// "NAME=BYTES" each, as known at `moment`.
  [[nodiscard]] std::string known(const std::string& uid, MonoTime moment) const {
    std::string text;
    for (const ContainerSample& sample : memory_.as_of(uid, moment)) {
      text += sample.name + "=" + std::to_string(sample.working_set.value) + " ";
    }
    return text;
  }

  test::FakeTree tree_;
  StoppedClock clock_;
  sys::Root root_ = *sys::Root::open(tree_.path());
  sys::CgroupLayout layout_ = [this] {
    test::make_unified(tree_);
    return *sys::CgroupLayout::detect(root_);
  }();
  cluster::PodTable table_;
  ContainerMemory memory_{root_, clock_};
};

TEST_F(SampledContainers, AreKnownByTheWorkingSetOfTheirCgroups) {
  add_pod("p", 2);
  use("p", 1, Bytes{5000}, Bytes{2000});
  use("p", 2, Bytes{100}, Bytes{300});
  refresh();
  EXPECT_EQ(known("p", kStart), "c1=3000 c2=0 ") << "never less than nothing";
  EXPECT_EQ(known("q", kStart), "");
  EXPECT_EQ(memory_.as_of("p", kStart)[0].read_at, kStart);
}

TEST_F(SampledContainers, AreReadAgainAfterTheIntervalOnly) {
  add_pod("p", 1);
  use("p", 1, Bytes{10});
  refresh();
  use("p", 1, Bytes{20});
  clock_.advance(ContainerMemory::kInterval / 2);
  refresh();
  EXPECT_EQ(known("p", clock_.now()), "c1=10 ");
  clock_.advance(ContainerMemory::kInterval / 2);
  refresh();
  EXPECT_EQ(known("p", clock_.now()), "c1=20 ");
}

TEST_F(SampledContainers, AreToldAsTheyWereBeforeTheDecision) {
  add_pod("p", 1);
  use("p", 1, Bytes{70});
  refresh();
  const MonoTime decided = clock_.now() + std::chrono::seconds(1);
  use("p", 1, Bytes{0});
  next_round();
  EXPECT_EQ(known("p", decided), "c1=70 ") << "what is left after the kill is no usage";
  EXPECT_EQ(known("p", kStart - std::chrono::seconds(1)), "");
}

TEST_F(SampledContainers, AreForgottenOnceTheyCannotBeRead) {
  add_pod("p", 2);
  use("p", 2, Bytes{8});
  refresh();
  tree_.remove("/sys/fs/cgroup" + path_of("p", 1));
  next_round();
  EXPECT_EQ(known("p", clock_.now()), "c2=8 ");
}

TEST_F(SampledContainers, AreThoseOfThePodsThatThereAre) {
  add_pod("p", 1);
  refresh();
  table_.entries.clear();
  add_pod("q", 1);
  use("q", 1, Bytes{9});
  next_round();
  EXPECT_EQ(known("p", clock_.now()), "");
  EXPECT_EQ(known("q", clock_.now()), "c1=9 ");
}

TEST_F(SampledContainers, AreReadAFewAtATimeWhereThereAreMany) {
  const std::size_t many = 3 * ContainerMemory::kLeastACall;
  add_pod("p", many);
  refresh();
  EXPECT_EQ(memory_.as_of("p", kStart).size(), ContainerMemory::kLeastACall);
  refresh();
  refresh();
  EXPECT_EQ(memory_.as_of("p", kStart).size(), many);
}

TEST_F(SampledContainers, AreAllReadWithinTheIntervalHoweverManyThereAre) {
  const std::size_t crowd = 2 * ContainerMemory::kCalls * ContainerMemory::kLeastACall;
  add_pod("p", crowd);
  for (std::size_t i = 0; i < ContainerMemory::kCalls; ++i) {
    refresh();
    clock_.advance(std::chrono::seconds(1));
  }
  EXPECT_EQ(memory_.as_of("p", clock_.now()).size(), crowd);
}

}  // namespace
}  // namespace evictd::daemon
