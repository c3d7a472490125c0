// SPDX-License-Identifier: Apache-2.0
#include <sched.h>
#include <sys/types.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "arena.h"

namespace evictd::daemon::test {
namespace {

class Status : public ArenaBySource {
 protected:
  /// What evictctl prints.
  [[nodiscard]] ProgramEnd evictctl(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), EVICTCTL);
    return run_to_end(scratch_->path(), std::move(arguments));
  }
  [[nodiscard]] std::string socket() const { return scratch_->path() / "control.sock"; }
  /// By the name that it has in /proc; 0 if there is none.
  [[nodiscard]] pid_t hot_thread() const {
    for (const auto& task :
         std::filesystem::directory_iterator("/proc/" + std::to_string(daemon_->pid()) + "/task")) {
      std::string name;
      std::getline(std::ifstream(task.path() / "comm"), name);
      if (name == "evictd-hot") {
        return std::stoi(task.path().filename().string());
      }
    }
    return 0;
  }
};
INSTANTIATE_TEST_SUITE_P(BySource, Status, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

TEST_P(Status, SaysWhatPriorityIsInForce) {
  add({.name = "steady"}, kModest);
  limit_memory();
  start_daemon(memory_config(GetParam()));
  ASSERT_EQ(status()["realtime"], true);
  const sched_param ordinary{};
  ASSERT_EQ(::sched_setscheduler(hot_thread(), SCHED_OTHER, &ordinary), 0);

  const Json seen =
      await_status([](const Json& now) { return now["counters"]["realtime_losses"] == 1; });

  EXPECT_EQ(seen["realtime"], false);
  EXPECT_EQ(lines_with(log(),
                       "another process took the real-time priority of the hot thread "
                       "away"),
            1U)
      << log();
}

TEST_P(Status, TellsPodsSignalsHooksAndDrops) {
  const Actor& steady = add({.name = "steady",
                             .qos = stage::QosClass::kBurstable,
                             .priority = 7,
                             .memory_request = Bytes{64 * kMiB}},
                            kModest);
  limit_memory();
  start_daemon(memory_config(GetParam()));
  await_status([](const Json& now) { return now["last_pass"].is_object(); });

  const ProgramEnd told = evictctl({"status", "--json", "--socket", socket()});

  ASSERT_EQ(told.exit_status, 0) << told.output;
  const Json seen = Json::parse(told.output);
  const Json pod = pod_in(seen, steady.pod.uid);
  EXPECT_EQ(pod["name"], "steady");
  EXPECT_EQ(pod["qos"], "Burstable");
  EXPECT_EQ(pod["priority"], 7);
  EXPECT_EQ(pod["memory_rank"], 1);
  EXPECT_EQ(pod["memory_request_bytes"], 64 * kMiB);
  EXPECT_GE(pod["usage_bytes"], kModest);
  ASSERT_EQ(seen["signals"].size(), 1U);
  EXPECT_EQ(seen["signals"][0]["signal"], "allocatableMemory.available");
  EXPECT_EQ(seen["signals"][0]["threshold"], std::to_string(kHeadroom));
  EXPECT_EQ(seen["signals"][0]["met"], false);
  EXPECT_GT(seen["signals"][0]["available"], kHeadroom);
  if (GetParam() == Source::kEvents) {
    EXPECT_NE(seen["hooks"]["memory-charge"], "none") << seen["hooks"].dump();
    EXPECT_EQ(seen["counters"]["kernel"]["dropped"]["threshold"], 0);
  } else {
    EXPECT_TRUE(seen["counters"]["kernel"].is_null());
  }
  const ProgramEnd text = evictctl({"status", "--socket", socket()});
  EXPECT_EQ(text.exit_status, 0);
  EXPECT_NE(text.output.find("steady"), std::string::npos) << text.output;
}

TEST_P(Status, OfADaemonThatDoesNotRunIsAnErrorThatNamesTheSocket) {
  const ProgramEnd told = evictctl({"status", "--socket", socket()});
  EXPECT_EQ(told.exit_status, 1);
  EXPECT_NE(told.output.find(socket()), std::string::npos) << told.output;
}

TEST_P(Status, CheckConfigPrintsWhatTheDaemonWorksWith) {
  write_config(memory_config(GetParam()));
  const ProgramEnd good = evictctl({"check-config", config_file()});
  EXPECT_EQ(good.exit_status, 0) << good.output;
  EXPECT_NE(good.output.find("evictd.yaml:"), std::string::npos) << good.output;
  EXPECT_NE(good.output.find("# default"), std::string::npos) << good.output;
  Json bad = memory_config(GetParam());
  bad["evictionHard"] = {{"memory.availabel", "1Gi"}};
  write_config(bad);
  const ProgramEnd refused = evictctl({"check-config", config_file()});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_NE(refused.output.find("memory.availabel"), std::string::npos) << refused.output;
}

using Doctor = Arena;

TEST_F(Doctor, TellsWhatThisKernelGives) {
  const ProgramEnd told = run_to_end(scratch_->path(), {EVICTCTL, "doctor", "--json"});
  EXPECT_TRUE(told.exit_status == 0 || told.exit_status == 1) << told.output;
  const Json report = Json::parse(told.output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << told.output;
  EXPECT_FALSE(report["purposes"].empty());
  EXPECT_EQ(std::count(told.output.begin(), told.output.end(), '\n'), 1) << "one line of JSON";
}

TEST_F(Doctor, IsDegradedWithoutAHookThatItWasToldToLeaveOut) {
  const ProgramEnd told =
      run_to_end(scratch_->path(), {EVICTCTL, "doctor", "--pin", "memory-charge=none"});
  EXPECT_EQ(told.exit_status, 1) << told.output;
  EXPECT_EQ(told.output.rfind("degraded", 0), 0U) << told.output;
}

TEST_F(Doctor, TellsWithWhichHooksNotificationsWouldBeServed) {
  const ProgramEnd told = run_to_end(
      scratch_->path(), {EVICTCTL, "doctor", "--json", "--notify", "--pin", "notify=none"});
  EXPECT_EQ(told.exit_status, 1) << told.output;
  const Json report = Json::parse(told.output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << told.output;
  const Json notify = report["purposes"].back();
  EXPECT_EQ(notify["purpose"], "notify");
  EXPECT_EQ(notify["chosen"], "");
  EXPECT_NE(notify["lost"], "");
  EXPECT_EQ(notify["counts"], true);
  EXPECT_EQ(notify["rows"][0]["row"], "fexit");
}

TEST_F(Doctor, RefusesAPinOfAnUnknownPurposeOrRow) {
  for (const char* pin :
       {"memory=tp_btf", "memory-charge=uprobe", "memory-charge=", "notify=fentry"}) {
    const ProgramEnd told = run_to_end(scratch_->path(), {EVICTCTL, "doctor", "--pin", pin});
    EXPECT_EQ(told.exit_status, 2);
    EXPECT_EQ(told.output.rfind("--pin: ", 0), 0U) << told.output;
  }
}

using Discovery = Arena;

TEST_F(Discovery, ANewPodIsKnownWithoutAScanAndGoneWithItsCgroup) {
  add({.name = "first"}, kModest);
  limit_memory();
  start_daemon(memory_config(Source::kEvents));
  const Json before = status()["counters"];

  Actor& pod = add({.name = "new"}, kModest);
  const std::string uid = pod.pod.uid;
  const Json seen =
      await_status([&](const Json& now) { return pod_in(now, uid)["state"] == "active"; });
  EXPECT_GE(pod_in(seen, uid)["usage_bytes"], kModest);
  // Nothing but the kernel's word can have told of it: nobody has scanned.
  EXPECT_EQ(seen["counters"]["rescans"], before["rescans"]);
  EXPECT_GT(seen["counters"]["kernel"]["delivered"]["cgroup"],
            before["kernel"]["delivered"]["cgroup"]);

  pod.load.child().signal(SIGKILL);
  ASSERT_TRUE(pod.await_end());
  ASSERT_TRUE(tree_->remove_pod(pod.pod));
  await_status([&](const Json& now) { return pod_in(now, uid)["state"] == "no_cgroup"; });
  remove_manifest("new");
  await_status([&](const Json& now) { return pod_in(now, uid).is_null(); });
  EXPECT_EQ(status()["counters"]["rescans"], before["rescans"]);
}

TEST_F(Discovery, PodWithALatePidsDirectoryHasItsTasksCounted) {
  const Actor& first = add({.name = "first"}, kModest);
  limit_memory();
  start_daemon(memory_config(Source::kEvents));
  const std::string uid = "0ddba11d-0000-4000-8000-000000000001";
  const std::filesystem::path path = first.pod.pod.parent_path() / ("pod" + uid);
  const std::filesystem::path memory = tree_->hierarchies().memory / path;
  const std::filesystem::path pids = tree_->hierarchies().pids / path;
  std::filesystem::create_directory(memory);
  await_status([&](const Json& now) { return !pod_in(now, uid).is_null(); });
  std::filesystem::create_directory(pids);  // The same one, and there, on v2.

  Result<stage::Child> child = stage::Child::start({.argv = {"/bin/sleep", "infinity"}});
  ASSERT_TRUE(child) << child.error().message();
  for (const std::filesystem::path& directory : {memory, pids}) {
    std::ofstream(directory / "cgroup.procs") << child->pid();
  }
  await_status([&](const Json& now) { return pod_in(now, uid)["tasks"] == 1; });

  child->signal(SIGKILL);
  ASSERT_TRUE(child->wait(kPatience));
  std::filesystem::remove(pids);
  std::filesystem::remove(memory);
}

TEST_F(Discovery, PodWithALeftoverOfAnotherQosIsEvictedWithoutAScan) {
  const Actor& first = add({.name = "first"}, kModest);
  const std::string uid = stage::random_uid();
  static_cast<void>(make_pod({.name = "moved"}, uid));
  limit_memory();
  start_daemon(memory_config(Source::kEvents));
  const stage::StagedPod pod = make_pod(
      {.name = "moved", .qos = stage::QosClass::kBurstable, .memory_request = Bytes{kMiB}}, uid);
  write_manifest(pod);

  Actor& hog = start_hog(pod, kPastThreshold);

  const Json seen =
      await_status([&](const Json& now) { return pod_in(now, uid)["state"] == "active"; });
  EXPECT_EQ(pod_in(seen, uid)["qos"], "Burstable");
  hog.load.go();
  ASSERT_TRUE(hog.await_end());
  EXPECT_EQ(await_record(hog)["pod"], "default/moved");
  EXPECT_TRUE(first.alive());
}

TEST_F(Discovery, ANewPodThatMisbehavesAtOnceIsEvicted) {
  const Actor& first = add({.name = "first"}, kModest);
  limit_memory();
  start_daemon(memory_config(Source::kEvents));
  Actor& hog = add_hog({.name = "hog"});
  hog.load.go();
  ASSERT_TRUE(hog.await_end());
  EXPECT_EQ(await_record(hog)["pod"], "default/hog");
  EXPECT_TRUE(first.alive());
}

}  // namespace
}  // namespace evictd::daemon::test
