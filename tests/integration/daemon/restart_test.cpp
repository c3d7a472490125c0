// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/membarrier.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>

#include "arena.h"
#include "base/fd.h"
#include "must.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

/// A BPF object that a process has: "prog_id", "map_id" or "link_id", and its number.
using BpfObject = std::pair<std::string, std::uint32_t>;

/// Source: /proc/PID/fdinfo.
std::set<BpfObject> bpf_objects_of(pid_t pid) {
  std::set<BpfObject> found;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fdinfo")) {
    std::istringstream words(stage::read_text(entry.path()).value_or(""));
    for (std::string key; words >> key;) {
      std::uint32_t id = 0;
      if ((key == "prog_id:" || key == "map_id:" || key == "link_id:") && words >> id) {
        found.emplace(key, id);
      }
    }
  }
  return found;
}

/// Grace periods of the kernel, some milliseconds each, until which an unused object must be gone.
constexpr int kMostGracePeriods = 2000;

bool exists(const BpfObject& object) {
  bpf_attr attributes{};
  attributes.prog_id = object.second;
  const int command = object.first == "prog_id:"  ? BPF_PROG_GET_FD_BY_ID
                      : object.first == "map_id:" ? BPF_MAP_GET_FD_BY_ID
                                                  : BPF_LINK_GET_FD_BY_ID;
  const base::Fd fd(static_cast<int>(::syscall(SYS_bpf, command, &attributes, sizeof(attributes))));
  return static_cast<bool>(fd);
}

/// The kernel frees programs a little after their last user is gone: once no CPU can still be
/// running them, and membarrier(2) returns no sooner. Answers what stays.
std::set<BpfObject> await_gone(std::set<BpfObject> objects) {
  for (int round = 0; !objects.empty() && round < kMostGracePeriods; ++round) {
    ::syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0U, 0);
    std::erase_if(objects, [](const BpfObject& object) { return !exists(object); });
  }
  return objects;
}

std::set<std::string> cgroups_below(const std::filesystem::path& top) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(top)) {
    if (entry.is_directory()) {
      found.insert(entry.path());
    }
  }
  return found;
}

class Restart : public ArenaBySource {
 protected:
  /// Of an evictd whose pods are the services of one slice, which is made where it is missing, and
  /// which finds no cgroup of all pods.
  [[nodiscard]] Json config_of_slice(const std::string& name) const {
    const std::string slice = tree_->cgroup_root() + "/" + name;
    std::filesystem::create_directory(tree_->hierarchies().memory.string() + slice);
    Json config = base_config(GetParam());
    config["cgroupRoot"] = tree_->cgroup_root() + "/none";
    config["podGlobs"][0]["glob"] = slice + "/*.service";
    config["evictionHard"] = {{"memory.available", "1"}};
    return config;
  }
  void kill_daemon() {
    ASSERT_EQ(::kill(daemon_->pid(), SIGKILL), 0);
    daemon_.reset();
  }
};
INSTANTIATE_TEST_SUITE_P(BySource, Restart, testing::Values(Source::kEvents, Source::kPolling),
                         name_of);

TEST_P(Restart, ASecondOneOnTheSameTreeIsRefused) {
  add({.name = "pod"}, kModest);
  limit_memory();
  start_daemon(memory_config(GetParam()));
  Json other = memory_config(GetParam());
  const std::filesystem::path elsewhere = scratch_->path() / "elsewhere";
  for (const std::filesystem::path& directory : {scratch_->path(), elsewhere}) {
    other["runtimeDirectory"] = directory.string();
    const ProgramEnd second = refused_daemon(other.dump());
    EXPECT_EQ(second.exit_status, 1);
    EXPECT_EQ(lines_with(second.output, "already watched by another evictd"), 1U) << second.output;
    EXPECT_NE(second.output.find(tree_->cgroup_root() + "/kubepods"), std::string::npos)
        << second.output;
  }
  EXPECT_FALSE(status()["pods"].empty()) << "the first one was harmed";
}

/// As any local user can: the directory is for everybody to read.
TEST_P(Restart, StartsThoughTheDirectoryOfPodsIsLocked) {
  add({.name = "pod"}, kModest);
  limit_memory();
  const base::Fd pod_root(
      ::open(tree_->memory_directory().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(pod_root.get(), LOCK_EX | LOCK_NB), 0);

  start_daemon(memory_config(GetParam()));

  EXPECT_FALSE(status()["pods"].empty());
}

TEST_P(Restart, ASecondOneWithAGlobOfTheFirstIsRefused) {
  Json first = config_of_slice("shared.slice");
  first["cgroupRoot"] = tree_->cgroup_root();
  start_daemon(first);
  Json other = config_of_slice("shared.slice");
  other["runtimeDirectory"] = (scratch_->path() / "elsewhere").string();

  const ProgramEnd second = refused_daemon(other.dump());

  EXPECT_EQ(second.exit_status, 1);
  EXPECT_EQ(lines_with(second.output,
                       tree_->cgroup_root() + "/shared.slice is already watched by another evictd"),
            1U)
      << second.output;
}

TEST_P(Restart, ASecondOneWithOtherGlobsRuns) {
  start_daemon(config_of_slice("one.slice"));
  const std::filesystem::path elsewhere = scratch_->path() / "elsewhere";
  std::filesystem::create_directory(elsewhere);
  const std::filesystem::path file = elsewhere / "evictd.yaml";
  Json other = config_of_slice("other.slice");
  other["runtimeDirectory"] = elsewhere.string();
  must(stage::replace_file(file, other.dump()));

  const stage::DaemonProcess second =
      must(stage::DaemonProcess::start({.binary = EVICTD, .config = file, .directory = elsewhere}));

  const Json answer = Json::parse(must(second.ask(R"({"op": "status"})")));
  EXPECT_EQ(answer["pid"], second.pid());
  EXPECT_EQ(status()["pid"], daemon_->pid());
}

TEST_P(Restart, ANewOneStartsAfterSigkillOfTheFirst) {
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(memory_config(GetParam()));
  kill_daemon();
  start_daemon(memory_config(GetParam()));
  hog.load.go();
  ASSERT_TRUE(hog.await_end());
  EXPECT_EQ(await_record(hog)["pod"], "default/hog");
}

TEST_P(Restart, NobodyElseDiesWhenItIsKilledRightAfterItsVictim) {
  const Actor& first = add({.name = "first"}, 2 * kModest);
  const Actor& second = add({.name = "second"}, kModest);
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(memory_config(GetParam()));
  hog.load.go();
  ASSERT_TRUE(hog.await_end());
  kill_daemon();

  start_daemon(memory_config(GetParam()));
  const Json seen = await_status([](const Json& now) { return now["last_pass"].is_object(); });
  EXPECT_EQ(seen["last_pass"]["outcome"], "nothing_met") << seen.dump(1);
  EXPECT_EQ(seen["counters"]["evictions"], 0);
  EXPECT_TRUE(first.alive());
  EXPECT_TRUE(second.alive());
}

class Remains : public Arena, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(BySignal, Remains, testing::Values(SIGTERM, SIGKILL),
                         [](const auto& signal) {
                           return std::string(signal.param == SIGTERM ? "Sigterm" : "Sigkill");
                         });

TEST_P(Remains, NoProgramMapLinkOrCgroupIsLeftBehind) {
  add({.name = "pod"}, kModest);
  limit_memory();
  const auto memory_before = cgroups_below(tree_->memory_directory());
  const auto pids_before = cgroups_below(tree_->pids_directory());
  start_daemon(memory_config(Source::kEvents));
  const std::set<BpfObject> objects = bpf_objects_of(daemon_->pid());
  ASSERT_FALSE(objects.empty());
  for (const BpfObject& object : objects) {
    ASSERT_TRUE(exists(object)) << object.first << object.second;
  }

  ASSERT_EQ(::kill(daemon_->pid(), GetParam()), 0);
  daemon_.reset();

  for (const BpfObject& object : await_gone(objects)) {
    ADD_FAILURE() << object.first << ' ' << object.second << " is left";
  }
  EXPECT_EQ(cgroups_below(tree_->memory_directory()), memory_before);
  EXPECT_EQ(cgroups_below(tree_->pids_directory()), pids_before);
}

}  // namespace
}  // namespace evictd::daemon::test
