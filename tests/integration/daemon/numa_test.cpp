// SPDX-License-Identifier: Apache-2.0
// The memory of a machine that has several NUMA nodes, and of one of which one cannot be reached.
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "arena.h"
#include "must.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

constexpr const char* kNodesWithMemory = "/sys/devices/system/node/has_memory";

/// What this thread and the processes that it starts touch first comes from one node alone, as long
/// as this lives.
class MemoryOfNode {
 public:
  explicit MemoryOfNode(unsigned node) {
    const unsigned long mask = 1UL << node;
    EXPECT_EQ(::syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 8 * sizeof(mask)), 0);
  }
  MemoryOfNode(const MemoryOfNode&) = delete;
  MemoryOfNode& operator=(const MemoryOfNode&) = delete;
  ~MemoryOfNode() { EXPECT_EQ(::syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0), 0); }
};

Json node_signal(const Json& status) {
  for (const Json& signal : status["signals"]) {
    if (signal["signal"] == "memory.available") {
      return signal;
    }
  }
  return nullptr;
}

class TwoNodes : public Arena {
 protected:
  void SetUp() override {
    Arena::SetUp();
    if (IsSkipped()) {
      return;
    }
    if (stage::read_text(kNodesWithMemory).value_or("") != "0-1\n") {
      GTEST_SKIP() << "the machine does not have two NUMA nodes: vm.Numa.* boots one";
    }
  }
  /// Runs a program in a cgroup of its own, that has used no memory yet, and on the first node's
  /// processor, as the kernel takes what it keeps for a process from where that runs.
  [[nodiscard]] std::vector<std::string> in_new_cgroup() const {
    const std::filesystem::path service = tree_->memory_directory().parent_path() / "service";
    std::filesystem::create_directory(service);
    return {"/bin/sh", "-c", R"(echo $$ >"$0/cgroup.procs" && exec taskset --cpu-list 0 "$@")",
            service};
  }
};

TEST_F(TwoNodes, GrowthOnTheOtherNodeIsSeenByTheKernel) {
  constexpr std::int64_t kDistance = 256 * kMiB;
  const Actor& small = add({.name = "small"}, kModest);
  std::optional<MemoryOfNode> memory(std::in_place, 1);
  Actor& hog = add_hog({.name = "hog"}, 2 * kDistance);
  memory.emplace(0);
  Json config = base_config(Source::kEvents);
  config["hardEvictionGracePeriodSeconds"] = 0;
  config["evictionHard"] = {{"memory.available", "1Mi"}};
  start_daemon(config, in_new_cgroup());
  memory.reset();
  const Json before = await_status([](const Json& now) {
    return !node_signal(now).is_null() && node_signal(now)["observed"] == true;
  });
  EXPECT_EQ(before["memory_available"]["watched_by_kernel"], true);
  const std::int64_t limit = node_signal(before)["available"].get<std::int64_t>() - kDistance;
  config["evictionHard"]["memory.available"] = std::to_string(limit);
  reload(config.dump());
  await_status([&](const Json& now) { return node_signal(now)["met_below"] == limit; });

  hog.load.go();

  const auto end = hog.await_end();
  ASSERT_TRUE(end) << status().dump(1) << log();
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  EXPECT_TRUE(asked_for_by_kernel(await_record(hog)));
  EXPECT_TRUE(small.alive());
}

class UnreachableNode : public Arena {
 protected:
  /// Runs a program on a machine that has one node more than the kernel side can reach.
  [[nodiscard]] std::vector<std::string> with_another_node() const {
    const std::filesystem::path list = scratch_->path() / "has_memory";
    std::ofstream(list) << "0-7\n";
    return {"/usr/bin/unshare",
            "--mount",
            "/bin/sh",
            "-c",
            "mount --bind \"$0\" " + std::string(kNodesWithMemory) + R"( && exec "$@")",
            list};
  }
};

TEST_F(UnreachableNode, IsSaidAndMemoryIsPolled) {
  add({.name = "pod"}, kModest);
  limit_memory();
  Json config = memory_config(Source::kEvents);
  config["evictionHard"]["memory.available"] = "1Mi";
  start_daemon(config, with_another_node());

  const Json seen = await_status([](const Json& now) {
    return !node_signal(now).is_null() && node_signal(now)["observed"] == true;
  });
  EXPECT_EQ(seen["event_source"], "bpf");
  EXPECT_EQ(seen["hooks"]["node-memory"], "none");
  EXPECT_EQ(seen["memory_available"]["watched_by_kernel"], false);
  EXPECT_EQ(seen["memory_available"]["polled"], true);
  EXPECT_EQ(lines_with(log(), "no hook serves node-memory"), 1U) << log();

  std::vector<std::string> doctor = with_another_node();
  doctor.insert(doctor.end(), {EVICTCTL, "doctor"});
  const ProgramEnd told = run_to_end(scratch_->path(), doctor);
  EXPECT_EQ(told.exit_status, 1) << told.output;
  EXPECT_NE(told.output.find("of 8 NUMA nodes with memory can be read"), std::string::npos)
      << told.output;
}

}  // namespace
}  // namespace evictd::daemon::test
