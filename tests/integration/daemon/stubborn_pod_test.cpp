// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "arena.h"
#include "stage/text_file.h"
#include "stopped_thread.h"

namespace evictd::daemon::test {
namespace {

/// Tasks that the pod root may have, and what is left of them when the threshold is met.
constexpr std::int64_t kMostTasks = 300;
constexpr std::int64_t kTaskHeadroom = 100;

class StubbornPod : public ArenaBySource {
 protected:
  [[nodiscard]] bool is_empty(const stage::StagedPod& pod) const {
    for (const std::filesystem::path& directory : tree_->directories_of(pod)) {
      const Result<std::string> listed = stage::read_text(directory / "cgroup.procs");
      EXPECT_TRUE(listed);
      if (!listed || !listed->empty()) {
        return false;
      }
    }
    return true;
  }
};
INSTANTIATE_TEST_SUITE_P(BySource, StubbornPod, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

/// Forks as fast as it can, as do all its children, once it is in `cgroups` and `gate` is readable.
[[noreturn]] void fork_forever(const std::vector<std::filesystem::path>& cgroups, int gate) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Children that end are nobody's to reap: the kernel takes them away at once.
  ::signal(SIGCHLD, SIG_IGN);
  for (const std::filesystem::path& cgroup : cgroups) {
    const int fd = ::open((cgroup / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0 || ::write(fd, "0", 1) != 1) {
      ::_exit(70);
    }
    ::close(fd);
  }
  char go = 0;
  static_cast<void>(::read(gate, &go, 1) < 0);
  for (;;) {
    if (::fork() < 0) {
      ::sched_yield();
    }
  }
}

TEST_P(StubbornPod, NoChildOfAForkBombEscapes) {
  const Actor& steady = add({.name = "steady"}, kModest);
  const stage::StagedPod bomb = make_pod({.name = "bomb"});
  write_manifest(bomb);
  ASSERT_TRUE(tree_->limit_tasks(kMostTasks));
  Json config = base_config(GetParam());
  config["evictionHard"] = {{"pid.available", std::to_string(kTaskHeadroom)}};
  config["pidAvailableSource"] = "podRoot";
  config["hardEvictionGracePeriodSeconds"] = 0;
  start_daemon(config);
  std::array<int, 2> gate{};
  ASSERT_EQ(::pipe2(gate.data(), O_CLOEXEC), 0);
  const std::vector<std::filesystem::path> cgroups = tree_->directories_of(bomb);
  const pid_t first = ::fork();
  if (first == 0) {
    fork_forever(cgroups, gate[0]);
  }
  await_status([&](const Json& now) { return pod_in(now, bomb.uid)["state"] == "active"; });
  ASSERT_EQ(::write(gate[1], "x", 1), 1);
  ::close(gate[0]);
  ::close(gate[1]);

  siginfo_t end{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(first), &end, WEXITED), 0);
  EXPECT_EQ(end.si_status, SIGKILL);
  await_status([&](const Json& now) { return now["counters"]["actuator"]["released"] == 1; });
  EXPECT_TRUE(is_empty(bomb));
  EXPECT_TRUE(steady.alive());
  const Json records = ask("last_evictions");
  ASSERT_EQ(records.size(), 1U) << records.dump(1);
  EXPECT_EQ(records[0]["uid"], bomb.uid);
}

TEST_P(StubbornPod, OneThatVanishedBetweenRankingAndKillIsPassedOver) {
  const Actor& steady = add(
      {.name = "steady", .qos = stage::QosClass::kBurstable, .memory_request = Bytes{64 * kMiB}},
      kModest);
  Actor& gone = add({.name = "gone"}, kModest);
  Actor& hog = add_hog({.name = "hog"}, kPastThreshold - 2 * kModest);
  // What a dead process wrote to a tmpfs stays charged to its pod, which therefore ranks first.
  const std::string script =
      "for d in \"$@\"; do echo 0 > $d/cgroup.procs || exit 1; done; "
      "head -c 100000000 /dev/zero > \"$0\"";
  const std::vector<std::filesystem::path> cgroups = tree_->directories_of(gone.pod);
  std::vector<std::string> argv{"/bin/sh", "-c", script, scratch_->path() / "left-behind"};
  argv.insert(argv.end(), cgroups.begin(), cgroups.end());
  Result<stage::Child> writer = stage::Child::start({.argv = argv});
  ASSERT_TRUE(writer) << writer.error().message();
  const Result<stage::ChildExit> wrote = writer->wait(kPatience);
  ASSERT_TRUE(wrote);
  ASSERT_EQ(wrote->text(), "exit status 0");
  limit_memory();
  start_daemon(memory_config(GetParam()));
  {
    // As if its end had not been noticed yet.
    const StoppedThread housekeeping(daemon_->pid());
    gone.load.child().signal(SIGKILL);
    ASSERT_TRUE(gone.await_end());
    hog.load.go();
    ASSERT_TRUE(hog.await_end()) << "nobody died";
  }
  await_record(hog);
  const Json seen = status();
  EXPECT_TRUE(steady.alive());
  EXPECT_EQ(seen["counters"]["evictions"], 1) << seen.dump(1);
}

/// Where v1 holds processes still.
std::filesystem::path freezer_mount() {
  std::ifstream mounts("/proc/self/mounts");
  std::string device;
  std::string where;
  std::string type;
  std::string options;
  std::string rest;
  while (mounts >> device >> where >> type >> options && std::getline(mounts, rest)) {
    if (type == "cgroup" && ("," + options + ",").find(",freezer,") != std::string::npos) {
      return where;
    }
  }
  return {};
}

/// Holds a process so still that not even SIGKILL ends it, until thawed or destroyed.
class FrozenProcess {
 public:
  FrozenProcess(std::filesystem::path directory, pid_t pid) : directory_(std::move(directory)) {
    std::filesystem::create_directory(directory_);
    EXPECT_TRUE(stage::write_kernel_file(directory_ / "cgroup.procs", std::to_string(pid)));
    EXPECT_TRUE(stage::write_kernel_file(directory_ / "freezer.state", "FROZEN"));
  }
  FrozenProcess(const FrozenProcess&) = delete;
  FrozenProcess& operator=(const FrozenProcess&) = delete;
  ~FrozenProcess() {
    thaw();
    // The process goes back to where every process may be, so that the cgroup can go.
    const std::string pid = stage::read_text(directory_ / "cgroup.procs").value_or("");
    if (!pid.empty()) {
      static_cast<void>(
          stage::write_kernel_file(directory_.parent_path() / "cgroup.procs", pid).has_value());
    }
    ::rmdir(directory_.c_str());
  }
  void thaw() const {
    EXPECT_TRUE(stage::write_kernel_file(directory_ / "freezer.state", "THAWED"));
  }

 private:
  std::filesystem::path directory_;
};

TEST_P(StubbornPod, OneThatOutlivesItsKillIsCountedAndTheNextOneGoes) {
  const std::filesystem::path mount = freezer_mount();
  if (mount.empty()) {
    GTEST_SKIP() << "no v1 freezer, without which no process outlives SIGKILL for sure";
  }
  limit_memory();
  Actor& frozen = add({.name = "frozen"}, kModest);
  // Past the threshold by itself: the memory of a frozen process can be given back all the same.
  Actor& next = add_hog({.name = "next", .priority = 1});
  const FrozenProcess ice(mount / tree_->cgroup_root().substr(1), frozen.load.child().pid());
  start_daemon(memory_config(GetParam()));

  next.load.go();
  const auto end = next.await_end();
  await_status(
      [](const Json& now) { return now["counters"]["actuator"]["exceeded_grace_period"] == 1; });
  const bool outlived = frozen.alive();
  ice.thaw();

  EXPECT_TRUE(end);
  EXPECT_TRUE(outlived);
  const auto thawed = frozen.await_end();
  ASSERT_TRUE(thawed);
  EXPECT_TRUE(thawed->killed_by(SIGKILL)) << thawed->text();
  await_record(frozen);
  EXPECT_EQ(status()["counters"]["actuator"]["exceeded_grace_period"], 1);
  EXPECT_EQ(lines_with(log(), "ExceededGracePeriod"), 1U) << log();
}

}  // namespace
}  // namespace evictd::daemon::test
