// SPDX-License-Identifier: Apache-2.0
// What the daemon writes down, and how evictctl tells of it.
#include <poll.h>
#include <sys/mount.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "arena.h"
#include "base/unix_socket.h"
#include "must.h"
#include "stage/loop_filesystem.h"
#include "stage/text_file.h"
#include "sys/node_name.h"

namespace evictd::daemon::test {
namespace {

class Records : public Arena {
 protected:
  [[nodiscard]] std::string file() const { return scratch_->path() / "records.jsonl"; }
  [[nodiscard]] Json config() const {
    Json made = memory_config(Source::kEvents);
    made["recordFile"] = file();
    return made;
  }
  [[nodiscard]] ProgramEnd evictctl(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), EVICTCTL);
    return run_to_end(scratch_->path(), std::move(arguments));
  }
  [[nodiscard]] std::string socket() const { return scratch_->path() / "control.sock"; }
  /// All lines of the record file.
  [[nodiscard]] std::vector<Json> lines() const {
    std::ifstream in(file());
    std::vector<Json> all;
    for (std::string line; std::getline(in, line);) {
      all.push_back(Json::parse(line));
    }
    return all;
  }
  /// One eviction of a hog beside a pod that stays.
  void evict() {
    steady_ = &add({.name = "steady", .priority = 7}, kModest);
    hog_ = &add_hog({.name = "hog"});
    limit_memory();
    start_daemon(config());
    hog_->load.go();
    ASSERT_TRUE(hog_->await_end());
    await_record(*hog_);
  }

  Actor* steady_ = nullptr;
  Actor* hog_ = nullptr;
};

TEST_F(Records, AnEvictionIsALineInTheFileAndAgainWhenItIsOver) {
  evict();
  ASSERT_TRUE(daemon_->stop());
  std::vector<Json> told;
  for (const Json& line : lines()) {
    EXPECT_EQ(line["schema"], 1);
    if (line["kind"] == "decision" && line["uid"] == hog_->pod.uid) {
      told.push_back(line);
    }
  }
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0]["id"], told[1]["id"]);
  EXPECT_EQ(told[1]["state"], "released");
  EXPECT_EQ(told[1]["outcome"], "evicted");
  EXPECT_FALSE(told[1]["timeline"]["exited_ns"].is_null());
  EXPECT_EQ(told[1]["observations"][0]["source"], "bpf");
  EXPECT_GT(told[1]["observations"][0]["error_bound"], 0);
  EXPECT_EQ(told[1]["thresholds"][0]["stood"], "acted_on");
  ASSERT_EQ(told[1]["ranking"].size(), 2U);
  EXPECT_EQ(told[1]["ranking"][1]["passed_over"], "ranks_later");
}

TEST_F(Records, EveryLineAndStatusNameTheNode) {
  hog_ = &add_hog({.name = "hog"});
  limit_memory();
  Json named = config();
  named["nodeName"] = "worker-1";
  start_daemon(named);
  EXPECT_EQ(status()["node"], "worker-1");
  hog_->load.go();
  ASSERT_TRUE(hog_->await_end());
  EXPECT_EQ(await_record(*hog_)["node"], "worker-1");
  ASSERT_TRUE(daemon_->stop());
  EXPECT_GT(lines().size(), 2U);
  for (const Json& line : lines()) {
    EXPECT_EQ(line["node"], "worker-1") << line;
  }
}

TEST_F(Records, WithoutANameInTheConfigurationTheNodeIsCalledAsTheHost) {
  start_daemon(config());
  EXPECT_EQ(status()["node"], sys::node_name_here());
}

TEST_F(Records, ExplainTellsOfTheLastEvictionOfThePodAndWhyNotTheOther) {
  evict();
  const ProgramEnd last = evictctl({"explain", "last", "--socket", socket()});
  EXPECT_EQ(last.exit_status, 0) << last.output;
  EXPECT_NE(last.output.find("hog (" + hog_->pod.uid + ") was evicted"), std::string::npos)
      << last.output;
  const ProgramEnd pod = evictctl({"explain", "hog", "--json", "--socket", socket()});
  ASSERT_EQ(pod.exit_status, 0) << pod.output;
  EXPECT_EQ(Json::parse(pod.output)["record"]["uid"], hog_->pod.uid);
  const ProgramEnd why_not = evictctl({"explain", "steady", "--socket", socket()});
  EXPECT_EQ(why_not.exit_status, 0);
  EXPECT_NE(why_not.output.find("steady: ranks later: priority 7"), std::string::npos)
      << why_not.output;
  const ProgramEnd ghost = evictctl({"explain", "ghost", "--socket", socket()});
  EXPECT_EQ(ghost.exit_status, 1);
  EXPECT_NE(ghost.output.find("ghost"), std::string::npos);
}

TEST_F(Records, APodThatTookPartInNoDecisionIsAnsweredForByTheDaemon) {
  const Actor& steady = add({.name = "steady", .priority = 7}, kModest);
  start_daemon(config());
  await_status([&](const Json& now) { return pod_in(now, steady.pod.uid)["state"] == "active"; });
  const ProgramEnd words = evictctl({"explain", "steady", "--socket", socket()});
  EXPECT_EQ(words.exit_status, 0) << words.output;
  EXPECT_NE(words.output.find("steady (" + steady.pod.uid +
                              ") took part in none of the recorded decisions."),
            std::string::npos)
      << words.output;
  const ProgramEnd data = evictctl({"explain", "steady", "--json", "--socket", socket()});
  ASSERT_EQ(data.exit_status, 0) << data.output;
  EXPECT_TRUE(Json::parse(data.output)["record"].is_null());
  EXPECT_EQ(Json::parse(data.output)["story"].size(), 2U);
}

TEST_F(Records, WithoutADaemonTheFileTellsAndIdsGoOnAfterARestart) {
  evict();
  ASSERT_TRUE(daemon_->stop());
  const ProgramEnd explained = evictctl({"explain", "hog", "--file", file(), "--json"});
  ASSERT_EQ(explained.exit_status, 0) << explained.output;
  const std::uint64_t id = Json::parse(explained.output)["record"]["id"];
  const ProgramEnd events = evictctl({"events", "--file", file()});
  EXPECT_EQ(events.exit_status, 0) << events.output;
  EXPECT_NE(events.output.find("hog is released"), std::string::npos) << events.output;
  EXPECT_NE(events.output.find("MemoryPressure set"), std::string::npos) << events.output;

  Actor& second = add_hog({.name = "second"});
  limit_memory();
  start_daemon(config());
  second.load.go();
  ASSERT_TRUE(second.await_end());
  EXPECT_GT(await_record(second)["id"], id);
}

TEST_F(Records, EventsRememberADecisionOfAnEvictdThatWasKilled) {
  evict();
  await_status([&](const Json&) {  // The file has a thread of its own.
    return stage::read_text(file()).value_or("").find(R"("outcome":"evicted")") !=
           std::string::npos;
  });
  ASSERT_EQ(::kill(daemon_->pid(), SIGKILL), 0);
  daemon_.reset();
  start_daemon(config());
  const ProgramEnd events = evictctl({"events", "--json", "--socket", socket()});
  ASSERT_EQ(events.exit_status, 0) << events.output;
  EXPECT_NE(events.output.find(R"("outcome":"evicted")"), std::string::npos) << events.output;
  std::size_t starts = 0;
  const std::string_view started = R"("what":"started")";
  for (std::size_t at = events.output.find(started); at != std::string::npos;
       at = events.output.find(started, at + 1)) {
    ++starts;
  }
  EXPECT_EQ(starts, 2U) << "each once: " << events.output;
}

TEST_F(Records, EventsSkipAnUnreadableDecisionAndWarnLikeExplain) {
  must(stage::replace_file(file(), "{\"schema\":1,\"kind\":\"decision\",\"id\":\"x\"}\n"));
  const std::string warning = file() + ":1: decision \"x\" is skipped: time: missing\n";
  const ProgramEnd events = evictctl({"events", "--file", file()});
  EXPECT_EQ(events.exit_status, 0);
  EXPECT_EQ(events.output, "evictctl: warning: " + warning);
  EXPECT_EQ(lines_with(evictctl({"explain", "--file", file()}).output, "is skipped: time: missing"),
            1U);
}

TEST_F(Records, AMomentWhenNobodyWasEvictedIsExplained) {
  Actor& hog = add_hog({.name = "hog"}, kRunUp + kHeadroom / 4);
  limit_memory();
  Json soft = base_config(Source::kEvents);
  soft["evictionHard"] = {{"allocatableMemory.available", "1Mi"}};
  soft["evictionSoft"] = {{"allocatableMemory.available", std::to_string(kHeadroom)}};
  soft["evictionSoftGracePeriod"] = {{"allocatableMemory.available", "1h"}};
  start_daemon(soft);
  hog.load.go();
  await_status([](const Json& now) { return now["last_pass"]["outcome"] == "in_grace"; });
  const ProgramEnd told = evictctl({"explain", "hog", "--at", "0s", "--socket", socket()});
  EXPECT_EQ(told.exit_status, 0) << told.output;
  EXPECT_NE(told.output.find("nobody was evicted (in_grace)"), std::string::npos) << told.output;
  EXPECT_NE(told.output.find("must be met for 3600 s"), std::string::npos) << told.output;
  EXPECT_NE(told.output.find("hog: would go first"), std::string::npos) << told.output;
}

/// A filesystem in memory that takes no byte more.
class FullFilesystem {
 public:
  explicit FullFilesystem(std::filesystem::path path) : path_(std::move(path)) {
    must(stage::own_mount_namespace());
    std::filesystem::create_directory(path_);
    if (::mount("full", path_.c_str(), "tmpfs", 0, "size=4k") != 0) {
      must(Result<>(fail_errno(errno, "mount a filesystem in memory")));
    }
    // More than the page that it has.
    std::ofstream(path_ / "filler") << std::string(1U << 20U, 'x') << std::flush;
  }
  FullFilesystem(const FullFilesystem&) = delete;
  FullFilesystem& operator=(const FullFilesystem&) = delete;
  FullFilesystem(FullFilesystem&&) = delete;
  FullFilesystem& operator=(FullFilesystem&&) = delete;
  ~FullFilesystem() { ::umount2(path_.c_str(), MNT_DETACH); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST_F(Records, AFullDiskShowsInStatusAndEvictionsGoOn) {
  const FullFilesystem disk(scratch_->path() / "full");
  hog_ = &add_hog({.name = "hog"});
  limit_memory();
  Json full = config();
  full["recordFile"] = (disk.path() / "records.jsonl").string();
  start_daemon(full);
  hog_->load.go();
  ASSERT_TRUE(hog_->await_end());
  await_record(*hog_);
  const Json seen =
      await_status([](const Json& now) { return now["records"]["in_memory_only"] == true; });
  EXPECT_GT(seen["records"]["lost"], 0);
  const ProgramEnd told = evictctl({"explain", "last", "--socket", socket()});
  EXPECT_EQ(told.exit_status, 0) << told.output;
}

TEST_F(Records, EventsAreStreamedWhileTheyHappen) {
  hog_ = &add_hog({.name = "hog"});
  limit_memory();
  start_daemon(config());
  const Result<base::Fd> stream = base::connect_unix(socket());
  ASSERT_TRUE(stream);
  const std::string request = "{\"op\":\"follow\",\"since\":\"2000-01-01T00:00:00Z\"}\n";
  ASSERT_EQ(::send(stream->get(), request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::string seen;
  const auto await = [&](std::string_view part) {
    while (seen.find(part) == std::string::npos) {
      pollfd ready{stream->get(), POLLIN, 0};
      ASSERT_GT(::poll(&ready, 1, 60'000), 0) << seen;
      std::array<char, 4096> buffer{};
      const ssize_t got = ::recv(stream->get(), buffer.data(), buffer.size(), 0);
      ASSERT_GT(got, 0) << seen;
      seen.append(buffer.data(), static_cast<std::size_t>(got));
    }
  };
  await(R"("what":"started")");
  hog_->load.go();
  await(R"("outcome":"evicted")");
  await(R"("state":"released")");
}

}  // namespace
}  // namespace evictd::daemon::test
