// SPDX-License-Identifier: Apache-2.0
// Runs the demonstration as a user does and checks what it claims.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "base/fd.h"
#include "stage/child.h"
#include "stage/hierarchies.h"
#include "stage/scratch_directory.h"
#include "stage/text_file.h"
#include "support/fake_tree.h"

namespace evictd {
namespace {

constexpr std::chrono::seconds kDeadline{200};
constexpr int kExitVoid = 4;
constexpr const char* kTreeIsThere = "private cgroup tree";

struct DemoCase {
  std::string scenario;
  std::string event_source;
  std::string victim;
};

/// As failures show it.
std::ostream& operator<<(std::ostream& out, const DemoCase& demo) {
  return out << "scenario " << demo.scenario << ", events from " << demo.event_source << ", victim "
             << demo.victim;
}

std::string name_of(const testing::TestParamInfo<DemoCase>& info) {
  return info.param.scenario + "_" + info.param.event_source;
}

class DemoGround : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root for cgroups and BPF";
    }
    scratch_ = stage::ScratchDirectory::create("evictd-test-").value();
  }

  /// The last line of stdout is the object; what went to stderr is in the same file before it.
  [[nodiscard]] nlohmann::json last_line() const {
    std::string text = stage::read_text(output()).value_or(std::string{});
    while (!text.empty() && text.back() == '\n') {
      text.pop_back();
    }
    return nlohmann::json::parse(text.substr(text.rfind('\n') + 1), nullptr, false);
  }
  [[nodiscard]] std::filesystem::path output() const { return scratch_->path() / "output"; }

  /// In a process group of its own, as a shell starts it.
  Result<stage::Child> start(const DemoCase& demo, const std::vector<std::string>& more = {}) {
    std::vector<std::string> argv{"/usr/bin/setsid",
                                  std::string(EVICTD_PROGRAMS) + "/evictctl",
                                  "demo",
                                  "--scenario",
                                  demo.scenario,
                                  "--event-source",
                                  demo.event_source,
                                  "--poll-interval",
                                  "500ms"};
    argv.insert(argv.end(), more.begin(), more.end());
    return stage::Child::start({.argv = argv, .output = output()});
  }

  /// Whether the demonstration says `words` before it ends.
  [[nodiscard]] bool says(stage::Child& demo, const std::string& words) const {
    while (stage::read_text(output()).value_or("").find(words) == std::string::npos) {
      if (demo.wait(std::chrono::milliseconds{5})) {
        return false;
      }
    }
    return true;
  }

  std::optional<stage::ScratchDirectory> scratch_;
};

class DemoRun : public DemoGround, public testing::WithParamInterface<DemoCase> {};

/// What a demonstration that was process `demo` has left of its cgroups and of its files.
std::vector<std::filesystem::path> leftovers_of(pid_t demo) {
  const std::string name = "evictd-demo-" + std::to_string(demo);
  const Result<stage::Hierarchies> found = stage::Hierarchies::detect();
  std::vector<std::filesystem::path> left;
  for (const std::filesystem::path& cgroup : {found->memory / name, found->pids / name}) {
    if (std::filesystem::exists(cgroup)) {
      left.push_back(cgroup);
    }
  }
  for (const char* parent : {"/run", "/dev/shm", "/tmp"}) {
    for (const auto& entry : std::filesystem::directory_iterator(parent)) {
      if (entry.path().filename().string().starts_with(name + "-")) {
        left.push_back(entry.path());
      }
    }
  }
  return left;
}

/// Whether a loop device still has an image of a demonstration behind it.
bool leaves_loop_devices() {
  for (const auto& block : std::filesystem::directory_iterator("/sys/block")) {
    const std::string image =
        stage::read_text(block.path() / "loop" / "backing_file").value_or(std::string{});
    if (image.find("evictd-demo-") != std::string::npos) {
      return true;
    }
  }
  return false;
}

TEST_P(DemoRun, EvictsTheExpectedPodAndLeavesNothingBehind) {
  // One that is void three times was held back by others on the machine, and proves nothing.
  constexpr int kMostRuns = 5;
  Result<stage::Child> demo = start(GetParam(), {"--json"});
  for (int run = 1;; ++run) {
    ASSERT_TRUE(demo) << demo.error().message();
    const Result<stage::ChildExit> end = demo->wait(kDeadline);
    ASSERT_TRUE(end) << end.error().message();
    if (end->text() != "exit status " + std::to_string(kExitVoid)) {
      EXPECT_EQ(end->text(), "exit status 0") << stage::read_text(output()).value_or("");
      break;
    }
    if (run == kMostRuns) {
      GTEST_SKIP() << "this machine held the hog back in " << 3 * kMostRuns << " runs";
    }
    std::cout << "repeated, because the run is void:\n"
              << stage::read_text(output()).value_or("") << '\n';
    demo = start(GetParam(), {"--json"});
  }
  const nlohmann::json object = last_line();
  ASSERT_TRUE(object.is_object());
  EXPECT_EQ(object["scenario"], GetParam().scenario);
  EXPECT_EQ(object["event_source"], GetParam().event_source);
  EXPECT_EQ(object["victim"], GetParam().victim);
  EXPECT_EQ(object["expected_victim"], GetParam().victim);
  EXPECT_EQ(object["oom_kills"], 0);
  EXPECT_TRUE(object["crossing_to_exit_us"].is_number());
  EXPECT_TRUE(object["crossing_to_sigkill_us"].is_number());
  EXPECT_LT(object["crossing_to_sigkill_us"], object["crossing_to_exit_us"]);
  EXPECT_EQ(object["hooks"].empty(), GetParam().event_source == "poll");
  EXPECT_THAT(leftovers_of(demo->pid()), testing::IsEmpty());
  EXPECT_FALSE(leaves_loop_devices());
}

INSTANTIATE_TEST_SUITE_P(Scenarios, DemoRun,
                         testing::Values(DemoCase{"memory", "bpf", "besteffort-hog"},
                                         DemoCase{"memory", "poll", "besteffort-hog"},
                                         DemoCase{"soft", "bpf", "besteffort-hog"},
                                         DemoCase{"soft", "poll", "besteffort-hog"},
                                         DemoCase{"tmpfs", "bpf", "besteffort-scratch"},
                                         DemoCase{"tmpfs", "poll", "besteffort-scratch"},
                                         DemoCase{"pids", "bpf", "burstable-forkbomb"},
                                         DemoCase{"pids", "poll", "burstable-forkbomb"},
                                         DemoCase{"disk", "bpf", "besteffort-filler"},
                                         DemoCase{"disk", "poll", "besteffort-filler"},
                                         DemoCase{"inodes", "bpf", "besteffort-filemaker"},
                                         DemoCase{"inodes", "poll", "besteffort-filemaker"},
                                         DemoCase{"emptydir", "bpf", "burstable-cache"},
                                         DemoCase{"emptydir", "poll", "burstable-cache"}),
                         name_of);

class RecordedDemo : public DemoGround {
 protected:
  [[nodiscard]] std::filesystem::path recording() const { return scratch_->path() / "demo.rec"; }

  struct Answer {
    std::string exit;
    std::string text;
  };
  /// What evictctl says to `arguments`.
  [[nodiscard]] Answer ask(const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv{std::string(EVICTD_PROGRAMS) + "/evictctl"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const std::filesystem::path output = scratch_->path() / "answer";
    Result<stage::Child> asked = stage::Child::start({.argv = argv, .output = output});
    const Result<stage::ChildExit> end =
        asked ? asked->wait(kDeadline) : Result<stage::ChildExit>(tl::unexpected(asked.error()));
    return {end ? end->text() : end.error().message(), stage::read_text(output).value_or("")};
  }
};

TEST_F(RecordedDemo, CanBeExplainedAndReplayedToItsEnd) {
  Result<stage::Child> demo =
      start({"pids", "poll", "burstable-forkbomb"}, {"--record", recording().string()});
  ASSERT_TRUE(demo) << demo.error().message();
  const Result<stage::ChildExit> end = demo->wait(kDeadline);
  ASSERT_TRUE(end) << end.error().message();
  const std::string records = recording().string() + ".records.jsonl";
  const std::string told = stage::read_text(output()).value_or("");
  EXPECT_THAT(told, testing::HasSubstr("evictctl replay " + recording().string()));
  EXPECT_THAT(told, testing::HasSubstr("evictctl explain --file " + records));
  const Answer replayed = ask({"replay", recording().string()});
  EXPECT_EQ(replayed.exit, "exit status 0") << replayed.text;
  EXPECT_THAT(replayed.text, testing::Not(testing::HasSubstr("ends without an end")));
  const Answer explained = ask({"explain", "--file", records});
  EXPECT_EQ(explained.exit, "exit status 0") << explained.text;
  EXPECT_THAT(explained.text, testing::HasSubstr("burstable-forkbomb"));
  const Answer mistaken = ask({"explain", "--file", recording().string()});
  EXPECT_EQ(mistaken.exit, "exit status 1");
  EXPECT_THAT(mistaken.text, testing::HasSubstr("a recording for evictctl replay"));
}

/// A cgroup and all below it, none of which has a process.
void remove_cgroups(const std::filesystem::path& top) {
  std::vector<std::filesystem::path> cgroups{top};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(top)) {
    if (entry.is_directory()) {
      cgroups.push_back(entry.path());
    }
  }
  for (auto cgroup = cgroups.rbegin(); cgroup != cgroups.rend(); ++cgroup) {
    EXPECT_EQ(::rmdir(cgroup->c_str()), 0) << *cgroup;
  }
}

/// Removes what a demonstration kept, and says how many directories of files that were.
int remove_kept(pid_t demo) {
  int directories = 0;
  for (const std::filesystem::path& left : leftovers_of(demo)) {
    if (!std::filesystem::exists(left)) {
      continue;  // With cgroup v2 the hierarchies are one.
    }
    const bool is_cgroup = std::filesystem::exists(left / "cgroup.procs");
    directories += is_cgroup ? 0 : 1;
    if (is_cgroup) {
      remove_cgroups(left);
    } else {
      std::filesystem::remove_all(left);
    }
  }
  return directories;
}

class DemoWhoseDaemonDies : public DemoGround {
 protected:
  /// Kills its evictd before that could act, and waits for its own end.
  void kill_daemon_of(stage::Child& demo) {
    const std::string ready = "evictd is ready, process ";
    ASSERT_TRUE(says(demo, ready)) << "ended before evictd was killed";
    // A line is written at once.
    const std::string text = stage::read_text(output()).value_or("");
    const pid_t daemon = std::stoi(text.substr(text.find(ready) + ready.size()));
    ASSERT_EQ(::kill(daemon, SIGKILL), 0);
    const Result<stage::ChildExit> end = demo.wait(kDeadline);
    ASSERT_TRUE(end) << end.error().message();
    EXPECT_EQ(end->text(), "exit status 3");
    told_ = stage::read_text(output()).value_or("");
  }

  std::string told_;
};

TEST_F(DemoWhoseDaemonDies, ShowsTheEndOfTheLogThatItRemoves) {
  Result<stage::Child> demo = start({"soft", "poll", "besteffort-hog"});
  ASSERT_TRUE(demo) << demo.error().message();
  ASSERT_NO_FATAL_FAILURE(kill_daemon_of(*demo));
  EXPECT_THAT(told_, testing::HasSubstr("evictd died; its log ends: "));
  EXPECT_THAT(told_, testing::Not(testing::HasSubstr("evictd.log")));
  EXPECT_THAT(leftovers_of(demo->pid()), testing::IsEmpty());
}

TEST_F(DemoWhoseDaemonDies, NamesTheLogThatItKeeps) {
  Result<stage::Child> demo = start({"soft", "poll", "besteffort-hog"}, {"--keep"});
  ASSERT_TRUE(demo) << demo.error().message();
  ASSERT_NO_FATAL_FAILURE(kill_daemon_of(*demo));
  const std::string before = "evictd died; its log: ";
  ASSERT_THAT(told_, testing::HasSubstr(before));
  const std::string behind = told_.substr(told_.find(before) + before.size());
  EXPECT_TRUE(std::filesystem::exists(behind.substr(0, behind.find('\n')))) << behind;
  EXPECT_EQ(remove_kept(demo->pid()), 1);
}

class DemoOfAHeldBackHog : public DemoGround {
 protected:
  /// The programs, but evict-load holds the fork bomb back, which alone has no end: to less than a
  /// third of what its rehearsal did, on a machine that is as busy as it may be. The rehearsal is
  /// the first load of an attempt that forks.
  [[nodiscard]] std::filesystem::path programs() const {
    const std::filesystem::path real = EVICTD_PROGRAMS;
    std::filesystem::path directory = programs_.path();
    std::filesystem::create_symlink(real / "evictd", directory / "evictd");
    const std::filesystem::path load = directory / "evict-load";
    const std::string script =
        "#!/bin/sh\n"
        "case \" $* \" in\n"
        "*\" --cap 1000000 \"*)\n"
        "  read -r tasks began <\"$0.rehearsal\" && rm \"$0.rehearsal\" || exit 1\n"
        "  rate=$((tasks * 1000000000 / ($(date +%s%N) - began) / 3 + 1))\n"
        "  [ \"$rate\" -lt 150 ] || rate=150\n"
        "  [ \"$rate\" -gt 10 ] || rate=10\n"
        "  set -- \"$@\" --rate \"$rate\" ;;\n"
        "*\" forks \"*\" --cap \"*)\n"
        "  tasks=${*##*--cap }\n"
        "  [ -e \"$0.rehearsal\" ] || echo \"${tasks%% *} $(date +%s%N)\" >\"$0.rehearsal\" ;;\n"
        "esac\n";
    const std::string command = "exec " + (real / "evict-load").string() + " \"$@\"\n";
    EXPECT_TRUE(stage::replace_file(load, script + command));
    std::filesystem::permissions(load, std::filesystem::perms::owner_all);
    return directory;
  }

  /// Not on a tmpfs, which may allow no programs.
  test::FakeTree programs_;
};

TEST_F(DemoOfAHeldBackHog, IsRepeatedAndKeepsTheLastAttempt) {
  Result<stage::Child> demo = start({"pids", "bpf", "burstable-forkbomb"},
                                    {"--json", "--keep", "--programs", programs().string()});
  ASSERT_TRUE(demo) << demo.error().message();
  const Result<stage::ChildExit> end = demo->wait(3 * kDeadline);  // Of three attempts.
  ASSERT_TRUE(end) << end.error().message();
  const std::string text = stage::read_text(output()).value_or(std::string{});
  EXPECT_EQ(end->text(), "exit status " + std::to_string(kExitVoid)) << text;
  EXPECT_TRUE(last_line().is_object()) << text;
  EXPECT_THAT(leftovers_of(demo->pid()), testing::Not(testing::IsEmpty()));
  EXPECT_EQ(remove_kept(demo->pid()), 1) << "of three attempts one is kept";
}

class InterruptedDemo : public DemoRun {};

TEST_P(InterruptedDemo, RemovesEverythingOnCtrlC) {
  Result<stage::Child> demo = start(GetParam());
  ASSERT_TRUE(demo) << demo.error().message();
  ASSERT_TRUE(says(*demo, kTreeIsThere)) << "ended before it was interrupted";
  demo->signal(SIGINT);
  const Result<stage::ChildExit> end = demo->wait(kDeadline);
  ASSERT_TRUE(end) << end.error().message();
  EXPECT_EQ(end->text(), "exit status 130");
  EXPECT_THAT(leftovers_of(demo->pid()), testing::IsEmpty());
  EXPECT_FALSE(leaves_loop_devices());
}

INSTANTIATE_TEST_SUITE_P(Scenarios, InterruptedDemo,
                         testing::Values(DemoCase{"soft", "poll", "besteffort-hog"},
                                         DemoCase{"disk", "poll", "besteffort-filler"}),
                         name_of);

class KilledDemo : public DemoGround {
 protected:
  /// A second directory of a process of the same id, as one that was killed before leaves it.
  static void leave_another(pid_t demo) {
    for (const std::filesystem::path& left : leftovers_of(demo)) {
      if (std::filesystem::exists(left / "unfinished")) {
        const std::filesystem::path other = left.string() + "2";
        std::filesystem::create_directory(other);
        std::filesystem::copy_file(left / "unfinished", other / "unfinished");
        return;
      }
    }
    FAIL() << "no directory of a demonstration was left";
  }
};

TEST_F(KilledDemo, IsClearedAwayByTheNextOneWhichSaysSo) {
  const DemoCase soft{"soft", "poll", "besteffort-hog"};
  Result<stage::Child> killed = start(soft);
  ASSERT_TRUE(killed) << killed.error().message();
  ASSERT_TRUE(says(*killed, kTreeIsThere)) << "ended before it was killed";
  killed->signal(SIGKILL);
  ASSERT_TRUE(killed->wait(kDeadline));
  leave_another(killed->pid());

  // What the first one said is not to be taken for the other's.
  std::filesystem::remove(output());
  Result<stage::Child> next = start(soft);
  ASSERT_TRUE(next) << next.error().message();
  ASSERT_TRUE(says(*next, kTreeIsThere)) << stage::read_text(output()).value_or("");
  EXPECT_THAT(leftovers_of(killed->pid()), testing::IsEmpty());
  EXPECT_THAT(stage::read_text(output()).value_or(""),
              testing::HasSubstr("removed leftovers of a killed demonstration: the cgroups "
                                 "/evictd-demo-" +
                                 std::to_string(killed->pid()) + " and "));
  EXPECT_THAT(leftovers_of(next->pid()), testing::Not(testing::IsEmpty())) << "its own stay";
  next->signal(SIGINT);
  EXPECT_TRUE(next->wait(kDeadline));
}

class AbandonedDemo : public DemoRun {};

TEST_P(AbandonedDemo, RemovesEverythingWhenItsTerminalCloses) {
  const auto before = std::signal(SIGHUP, SIG_DFL);  // These tests may run under nohup.
  Result<stage::Child> demo = start(GetParam());
  std::signal(SIGHUP, before);
  ASSERT_TRUE(demo) << demo.error().message();
  ASSERT_TRUE(says(*demo, kTreeIsThere)) << "ended before its terminal was closed";
  demo->signal(SIGHUP);
  const Result<stage::ChildExit> end = demo->wait(kDeadline);
  ASSERT_TRUE(end) << end.error().message();
  EXPECT_EQ(end->text(), "exit status 130");
  EXPECT_THAT(leftovers_of(demo->pid()), testing::IsEmpty());
}

TEST_P(AbandonedDemo, RemovesEverythingAndFailsWhenNobodyReadsItAnyMore) {
  ASSERT_EQ(::mkfifo(output().c_str(), 0600), 0);
  base::Fd reader{::open(output().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  ASSERT_TRUE(reader);
  Result<stage::Child> demo = start(GetParam());
  ASSERT_TRUE(demo) << demo.error().message();
  pollfd first_line{reader.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&first_line, 1, -1), 1);
  reader.reset();
  const Result<stage::ChildExit> end = demo->wait(kDeadline);
  ASSERT_TRUE(end) << end.error().message();
  EXPECT_EQ(end->text(), "exit status 3");
  EXPECT_THAT(leftovers_of(demo->pid()), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Scenarios, AbandonedDemo,
                         testing::Values(DemoCase{"memory", "bpf", "besteffort-hog"},
                                         DemoCase{"pids", "bpf", "burstable-forkbomb"}),
                         name_of);

struct InterruptedCase {
  DemoCase demo;
  std::string at;
};

std::ostream& operator<<(std::ostream& out, const InterruptedCase& interrupted) {
  return out << interrupted.demo << ", interrupted at: " << interrupted.at;
}

std::string name_of_interrupted(const testing::TestParamInfo<InterruptedCase>& info) {
  return info.param.demo.scenario + "_" + info.param.demo.event_source;
}

class DemoInATerminal : public DemoGround, public testing::WithParamInterface<InterruptedCase> {};

TEST_P(DemoInATerminal, RemovesEverythingOnCtrlCWhichAllItsProcessesGet) {
  Result<stage::Child> demo = start(GetParam().demo, {"--keep"});
  ASSERT_TRUE(demo) << demo.error().message();
  ASSERT_TRUE(says(*demo, GetParam().at)) << "ended before it was interrupted";
  ASSERT_EQ(::kill(-demo->pid(), SIGINT), 0);
  const Result<stage::ChildExit> end = demo->wait(kDeadline);
  ASSERT_TRUE(end) << end.error().message();
  const std::string text = stage::read_text(output()).value_or("");
  EXPECT_EQ(end->text(), "exit status 130") << text;
  EXPECT_THAT(text, testing::HasSubstr("keeps nothing, even with --keep"));
  EXPECT_THAT(leftovers_of(demo->pid()), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Scenarios, DemoInATerminal,
    testing::Values(InterruptedCase{{"memory", "bpf", "besteffort-hog"}, kTreeIsThere},
                    InterruptedCase{{"pids", "bpf", "burstable-forkbomb"}, kTreeIsThere},
                    InterruptedCase{{"soft", "bpf", "besteffort-hog"}, "misbehaves"}),
    name_of_interrupted);

}  // namespace
}  // namespace evictd
