// SPDX-License-Identifier: Apache-2.0
#include "probe/features.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace evictd::probe {
namespace {

const Feature& named(const std::vector<Feature>& features, std::string_view name) {
  return *std::find_if(features.begin(), features.end(),
                       [&](const Feature& f) { return f.name == name; });
}

/// A directory that looks like a machine, removed at the end.
class FakeMachine : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "evictd-features-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  std::string root_;
};

TEST_F(FakeMachine, WithNothingLacksEverything) {
  for (const Feature& feature : kernel_features(root_, "")) {
    EXPECT_FALSE(feature.present) << feature.name;
    EXPECT_FALSE(feature.detail.empty()) << feature.name;
  }
}

TEST_F(FakeMachine, WithCgroupV1NamesItsMounts) {
  write("/proc/mounts",
        "cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0\n"
        "cgroup /sys/fs/cgroup/pids cgroup rw,relatime,pids 0 0\n"
        "cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n");
  const std::vector<Feature> features = kernel_features(root_, "");
  EXPECT_EQ(named(features, "cgroup memory").detail, "v1 at /sys/fs/cgroup/memory");
  EXPECT_EQ(named(features, "cgroup pids").detail, "v1 at /sys/fs/cgroup/pids");
}

TEST_F(FakeMachine, WithCgroupV2NamesItsControllers) {
  write("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n");
  write("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory\n");
  const std::vector<Feature> features = kernel_features(root_, "");
  EXPECT_EQ(named(features, "cgroup memory").detail, "v2 at /sys/fs/cgroup");
  EXPECT_FALSE(named(features, "cgroup pids").present);
}

TEST_F(FakeMachine, FindsBtfKprobesAndPsi) {
  write("/sys/kernel/btf/vmlinux", "x");
  write("/sys/bus/event_source/devices/kprobe/type", "6\n");
  write("/proc/pressure/memory", "some avg10=0.00\n");
  const std::vector<Feature> features = kernel_features(root_, "");
  EXPECT_TRUE(named(features, "BTF").present);
  EXPECT_TRUE(named(features, "kprobes").present);
  EXPECT_TRUE(named(features, "PSI").present);
  EXPECT_FALSE(named(kernel_features(root_, root_ + "/other.btf"), "BTF").present);
}

TEST_F(FakeMachine, AFifoIsNoBtf) {
  write("/sys/kernel/btf/vmlinux", "x");
  const std::string fifo = root_ + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(named(kernel_features(root_, fifo), "BTF").present);
}

TEST_F(FakeMachine, WithoutBtfOfItsOwnAFileOfItIsNotEnough) {
  write("/other.btf", "x");
  const Feature btf = named(kernel_features(root_, root_ + "/other.btf"), "BTF");
  EXPECT_FALSE(btf.present);
  EXPECT_NE(btf.detail.find("/sys/kernel/btf/vmlinux"), std::string::npos);
}

TEST(Privileges, AreReadFromTheEffectiveSet) {
  const std::vector<Feature> all = privileges("Name:\tx\nCapEff:\t000001ffffffffff\n");
  EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](const Feature& f) { return f.present; }));
  const std::vector<Feature> without_resource = privileges("CapEff:\t000001fffeffffff\n");
  EXPECT_FALSE(named(without_resource, "CAP_SYS_RESOURCE").present);
  EXPECT_FALSE(named(without_resource, "CAP_SYS_RESOURCE").detail.empty());
  EXPECT_TRUE(named(without_resource, "CAP_BPF").present);
}

TEST(Privileges, AreNoneWhenTheFileCannotBeRead) {
  for (const Feature& feature : privileges("")) {
    EXPECT_FALSE(feature.present) << feature.name;
  }
}

}  // namespace
}  // namespace evictd::probe
