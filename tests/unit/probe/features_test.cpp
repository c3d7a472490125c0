// SPDX-License-Identifier: Apache-2.0
#include "probe/features.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "support/temporary_directory.h"

namespace evictd::probe {
namespace {

const Feature& named(const std::vector<Feature>& features, std::string_view name) {
  return *std::find_if(features.begin(), features.end(),
                       [&](const Feature& f) { return f.name == name; });
}

/// The first bytes of a BTF file of a little-endian machine.
constexpr std::string_view kBtf{"\x9f\xeb\x01\x00\x18\x00\x00\x00", 8};

/// A directory that looks like a machine, removed at the end.
class FakeMachine : public testing::Test {
 protected:
  void write(const std::string& path, std::string_view text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  test::TemporaryDirectory directory_;
  std::string root_ = directory_.path().string();
};

TEST_F(FakeMachine, WithNothingMountedLacksEverything) {
  write("/proc/mounts", "proc /proc proc rw 0 0\n");
  for (const Feature& feature : kernel_features(root_, "")) {
    EXPECT_EQ(feature.presence, Presence::kAbsent) << feature.name;
    EXPECT_FALSE(feature.detail.empty()) << feature.name;
  }
}

TEST_F(FakeMachine, WithoutAMemoryControllerIsUnusable) {
  write("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n");
  write("/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io pids\n");
  Ladder ladder;
  ladder.kernel = kernel_features(root_, "");
  EXPECT_EQ(ladder.level(), SupportLevel::kUnusable);
  const std::string& detail = named(ladder.kernel, kMemoryControllerFact).detail;
  EXPECT_NE(detail.find("evictd does not start"), std::string::npos) << detail;
  EXPECT_EQ(named(ladder.kernel, "cgroup pids").presence, Presence::kPresent);
}

TEST_F(FakeMachine, WithoutProcDoesNotKnowWhatOnlyProcTells) {
  const std::vector<Feature> features = kernel_features(root_, "");
  for (const char* name : {"PSI", "cgroup memory", "cgroup pids"}) {
    EXPECT_EQ(named(features, name).presence, Presence::kUnknown) << name;
    EXPECT_NE(named(features, name).detail.find("/proc"), std::string::npos) << name;
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
  EXPECT_EQ(named(features, "cgroup pids").presence, Presence::kAbsent);
}

TEST_F(FakeMachine, WithMemoryAndPidsInHierarchiesOfDifferentVersionsSaysSo) {
  write("/proc/mounts",
        "cgroup /sys/fs/cgroup/pids cgroup rw,relatime,pids 0 0\n"
        "cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n");
  write("/sys/fs/cgroup/unified/cgroup.controllers", "memory io\n");
  const std::vector<Feature> features = kernel_features(root_, "");
  EXPECT_EQ(named(features, "cgroup memory").detail, "v2 at /sys/fs/cgroup/unified");
  const Feature& pids = named(features, "cgroup pids");
  EXPECT_EQ(pids.presence, Presence::kPresent);
  EXPECT_NE(pids.detail.find("v1 at /sys/fs/cgroup/pids, memory in another hierarchy (v2 at"),
            std::string::npos)
      << pids.detail;
}

TEST_F(FakeMachine, FindsBtfKprobesAndPsi) {
  write("/sys/kernel/btf/vmlinux", kBtf);
  write("/sys/bus/event_source/devices/kprobe/type", "6\n");
  write("/proc/pressure/memory", "some avg10=0.00\n");
  const std::vector<Feature> features = kernel_features(root_, "");
  for (const char* name : {"BTF", "kprobes", "PSI"}) {
    EXPECT_EQ(named(features, name).presence, Presence::kPresent) << name;
  }
  EXPECT_EQ(named(kernel_features(root_, root_ + "/other.btf"), "BTF").presence, Presence::kAbsent);
}

TEST_F(FakeMachine, HasNoBtfWhereTheFileIsEmptyOrSomethingElse) {
  for (const std::string_view text : {"", "\x9f", "some text", "\177ELF"}) {
    write("/sys/kernel/btf/vmlinux", text);
    const Feature btf = named(kernel_features(root_, ""), "BTF");
    EXPECT_EQ(btf.presence, Presence::kAbsent) << text;
    EXPECT_NE(btf.detail.find("is no BTF"), std::string::npos) << btf.detail;
  }
}

TEST_F(FakeMachine, TakesAFileToRelocateByThatIsBtfOrElf) {
  write("/sys/kernel/btf/vmlinux", kBtf);
  const auto with_file = [&](std::string_view text) {
    write("/other.btf", text);
    return named(kernel_features(root_, root_ + "/other.btf"), "BTF").presence;
  };
  EXPECT_EQ(with_file(kBtf), Presence::kPresent);
  EXPECT_EQ(with_file("\177ELF\x02\x01"), Presence::kPresent);
  EXPECT_EQ(with_file(""), Presence::kAbsent);
  EXPECT_EQ(with_file("some text"), Presence::kAbsent);
}

TEST_F(FakeMachine, AFifoIsNoBtf) {
  write("/sys/kernel/btf/vmlinux", kBtf);
  const std::string fifo = root_ + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(named(kernel_features(root_, fifo), "BTF").presence, Presence::kAbsent);
}

TEST_F(FakeMachine, WithoutBtfOfItsOwnAFileOfItIsNotEnough) {
  write("/other.btf", kBtf);
  const Feature btf = named(kernel_features(root_, root_ + "/other.btf"), "BTF");
  EXPECT_EQ(btf.presence, Presence::kAbsent);
  EXPECT_NE(btf.detail.find("/sys/kernel/btf/vmlinux"), std::string::npos);
}

TEST(Privileges, AreReadFromTheEffectiveSet) {
  const std::vector<Feature> all = privileges("Name:\tx\nCapEff:\t000001ffffffffff\n", {});
  EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](const Feature& f) {
    return f.presence == Presence::kPresent && f.detail.empty();
  }));
  // Without bit 5.
  const std::vector<Feature> without_kill = privileges("CapEff:\t000001ffffffffdf\n", {});
  EXPECT_EQ(named(without_kill, "CAP_KILL").presence, Presence::kAbsent);
  EXPECT_FALSE(named(without_kill, "CAP_KILL").detail.empty());
  EXPECT_EQ(named(without_kill, "CAP_BPF").presence, Presence::kPresent);
}

TEST(Privileges, OfPriorityAndLockedMemoryAreHeldByLimits) {
  constexpr std::string_view kNone = "CapEff:\t0000000000000000\n";
  const std::vector<Feature> both =
      privileges(kNone, {.realtime_priority = true, .locked_memory = true});
  EXPECT_EQ(named(both, "CAP_SYS_NICE").detail, "held by RLIMIT_RTPRIO");
  EXPECT_EQ(named(both, "CAP_SYS_NICE").presence, Presence::kPresent);
  EXPECT_EQ(named(both, "CAP_IPC_LOCK").detail, "held by RLIMIT_MEMLOCK");
  EXPECT_EQ(named(both, "CAP_KILL").presence, Presence::kAbsent);
  EXPECT_EQ(named(privileges(kNone, {}), "CAP_SYS_NICE").presence, Presence::kAbsent);
  EXPECT_EQ(named(privileges(kNone, {}), "CAP_IPC_LOCK").presence, Presence::kAbsent);
}

TEST(Privileges, OfBpfAndPerfmonAreHeldByTheAdministrator) {
  // Without bits 38 and 39; then without bit 21 (CAP_SYS_ADMIN) too.
  const std::vector<Feature> admin = privileges("CapEff:\t0000013fffffffff\n", {});
  const std::vector<Feature> nobody = privileges("CapEff:\t0000013fffdfffff\n", {});
  for (const char* name : {"CAP_BPF", "CAP_PERFMON"}) {
    EXPECT_EQ(named(admin, name).presence, Presence::kPresent) << name;
    EXPECT_EQ(named(admin, name).detail, "held by CAP_SYS_ADMIN") << name;
    EXPECT_EQ(named(nobody, name).presence, Presence::kAbsent) << name;
    EXPECT_NE(named(nobody, name).detail.find("polling only"), std::string::npos) << name;
  }
  EXPECT_EQ(named(privileges("CapEff:\t0000000000200000\n", {}), "CAP_KILL").presence,
            Presence::kAbsent);
}

TEST(Privileges, AreUnknownWhenTheFileDoesNotTell) {
  for (const char* status : {"", "Name:\tx\n", "CapEff:\tnothing\n"}) {
    for (const Feature& feature : privileges(status, {})) {
      EXPECT_EQ(feature.presence, Presence::kUnknown) << feature.name;
      EXPECT_NE(feature.detail.find("unknown"), std::string::npos) << feature.name;
    }
  }
}

}  // namespace
}  // namespace evictd::probe
