// SPDX-License-Identifier: Apache-2.0
// What an evictd that was killed leaves to the next one: no decision is lost, none is taken twice.
#include <poll.h>

#include <csignal>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>

#include "arena.h"
#include "base/fault_point.h"
#include "daemon/state/saved_state.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

using base::FaultPoint;

constexpr std::int64_t kGraceSeconds = 1;

/// How the victim is ended.
enum class Way {
  kAtOnce,     ///< A hard threshold, grace 0.
  kWithGrace,  ///< A hard threshold, and a victim that does not go on SIGTERM.
  kSoft,       ///< A soft threshold, and the same.
  kSoftLate,   ///< The same, after so long that the state file tells first that the threshold is
               ///< met.
};
bool is_soft(Way way) {
  return way == Way::kSoft || way == Way::kSoftLate;
}
std::ostream& operator<<(std::ostream& out, Way way) {
  return out << (way == Way::kAtOnce      ? "at once"
                 : way == Way::kWithGrace ? "with a grace"
                 : way == Way::kSoft      ? "for a soft threshold"
                                          : "for a soft threshold met for long");
}

/// Where the first evictd dies, and what the second one must not do any more.
struct Death {
  FaultPoint point = FaultPoint::kNone;
  Way way = Way::kAtOnce;
  int time = 1;
  /// The signal is out, or may be: it is not sent again.
  bool signalled = true;
};

const std::vector<Death>& deaths() {
  static const std::vector<Death> all{
      {FaultPoint::kDecided, Way::kAtOnce, 1, false},
      {FaultPoint::kDecided, Way::kWithGrace, 1, false},
      {FaultPoint::kIntended, Way::kAtOnce, 1, false},
      {FaultPoint::kIntended, Way::kWithGrace},
      {FaultPoint::kIntended, Way::kSoft},
      {FaultPoint::kForksStopped, Way::kAtOnce, 1, false},
      {FaultPoint::kForksStopped, Way::kSoft},
      {FaultPoint::kSignalled, Way::kAtOnce},
      {FaultPoint::kSignalled, Way::kWithGrace},
      {FaultPoint::kSignalled, Way::kSoft},
      {FaultPoint::kReported, Way::kAtOnce},
      {FaultPoint::kReported, Way::kSoft},
      {FaultPoint::kGraceOver, Way::kWithGrace},
      {FaultPoint::kGraceKilled, Way::kSoft},
      {FaultPoint::kReleased, Way::kAtOnce},
      {FaultPoint::kReleased, Way::kSoft},
      {FaultPoint::kIntentCleared, Way::kWithGrace},
      // The first text tells of a threshold that is met, the second of a victim.
      {FaultPoint::kStateComposed, Way::kSoftLate, 1, false},
      {FaultPoint::kStateComposed, Way::kSoftLate, 2},
      {FaultPoint::kStateCreated, Way::kSoftLate, 1, false},
      {FaultPoint::kStateCreated, Way::kSoftLate, 2},
      {FaultPoint::kStateHalf, Way::kSoftLate, 1, false},
      {FaultPoint::kStateHalf, Way::kSoftLate, 2},
      {FaultPoint::kStateWritten, Way::kSoftLate, 2},
      {FaultPoint::kStateSynced, Way::kSoftLate, 2},
      {FaultPoint::kStateRenamed, Way::kSoftLate, 2},
      {FaultPoint::kStateDurable, Way::kSoftLate, 2},
  };
  return all;
}

class State : public Arena {
 protected:
  [[nodiscard]] Json config_for(Way way) const {
    Json config = memory_config(Source::kEvents);
    if (way == Way::kWithGrace) {
      config["hardEvictionGracePeriodSeconds"] = kGraceSeconds;
      config["hardEvictionFloor"] = "0%";
    }
    if (is_soft(way)) {
      config["evictionHard"] = {{"allocatableMemory.available", std::to_string(kHardHeadroom)}};
      config["evictionSoft"] = {{"allocatableMemory.available", std::to_string(kHeadroom)}};
      config["evictionSoftGracePeriod"] = {
          {"allocatableMemory.available", way == Way::kSoft ? "500ms" : "4s"}};
      config["evictionMaxPodGracePeriod"] = kGraceSeconds;
    }
    return config;
  }
  static std::vector<std::string> dying_at(FaultPoint point, int time = 1) {
    return {"EVICTD_FAULT_POINT=" + std::string(base::to_string(point)) + ":" +
            std::to_string(time)};
  }
  /// Two pods that nothing may happen to, and the one that it is about.
  Actor& set_stage(Way way) {
    daemon_.reset();
    actors_.clear();
    // Nor is anything left of the round before that could be gone on with.
    std::filesystem::remove(state_file());
    ++round_;
    const std::string number = std::to_string(round_);
    add({.name = "first-" + number}, 2 * kModest);
    add({.name = "second-" + number}, kModest);
    Actor& hog = add_hog({.name = "hog-" + number}, is_soft(way) ? kPastSoft : kPastThreshold,
                         way == Way::kAtOnce ? Manners::kPolite : Manners::kStubborn);
    limit_memory();
    return hog;
  }
  /// Of the pod itself, not of its containers.
  [[nodiscard]] std::filesystem::path pids_max_of(const Actor& actor) const {
    std::filesystem::path directory = tree_->pids_directory();
    // The pod's path begins with those of the tree and of the pod root.
    for (auto part = std::next(actor.pod.pod.begin(), 2); part != actor.pod.pod.end(); ++part) {
      directory /= *part;
    }
    return directory / "pids.max";
  }
  [[nodiscard]] bool await_death_of_daemon() const {
    pollfd dead{daemon_->pidfd(), POLLIN, 0};
    return ::poll(&dead, 1, std::chrono::milliseconds(kPatience).count()) == 1;
  }
  void expect_nobody_else_died() {
    for (const Actor& actor : actors_) {
      EXPECT_TRUE(&actor == &actors_.back() || actor.alive()) << actor.pod.spec.name;
    }
  }
  /// Leaves it in a soft grace whose end is far away, on its cgroup and in the file.
  void begin_and_abandon(Actor& hog) {
    Json config = config_for(Way::kSoft);
    config["evictionMaxPodGracePeriod"] = 3600;
    start_daemon(config);
    hog.load.go();
    await_record(hog, "terminating");
    await_status([&](const Json&) { return is_in_state_file(hog); });
    kill_daemon();
  }
  /// Whether the next evictd would find its eviction there.
  [[nodiscard]] bool is_in_state_file(const Actor& hog) const {
    return stage::read_text(state_file()).value_or("").find(hog.pod.uid) != std::string::npos;
  }
  [[nodiscard]] bool has_threshold_in_state_file() const {
    return stage::read_text(state_file()).value_or("").find("\"thresholds\":[{") !=
           std::string::npos;
  }
  [[nodiscard]] Json state_body() const {
    const std::string text = stage::read_text(state_file()).value_or("");
    return Json::parse(text.substr(text.find('\n') + 1));
  }
  /// The pressure is over.
  [[nodiscard]] Json config_without_pressure() const {
    Json config = config_for(Way::kAtOnce);
    config["evictionHard"] = {{"allocatableMemory.available", "1"}};
    return config;
  }
  void kill_daemon() {
    ASSERT_EQ(::kill(daemon_->pid(), SIGKILL), 0);
    daemon_.reset();
  }
  [[nodiscard]] std::filesystem::path state_file() const { return scratch_->path() / "state"; }

 private:
  int round_ = 0;
};

class KilledAtEachStep : public State {
 protected:
  /// Has a daemon die as told. A disk that was too slow for the second text to be begun before the
  /// victim was gone shows nothing of what is to be shown: then once more.
  Actor& kill_daemon_at(const Death& death) {
    constexpr int kMostRounds = 10;
    for (int round = 1;; ++round) {
      Actor& hog = set_stage(death.way);
      start_daemon(config_for(death.way), {}, dying_at(death.point, death.time));
      hog.load.go();
      [&] { ASSERT_TRUE(await_death_of_daemon()) << "never reached; log: " << log(); }();
      if (death.time == 1 || hog.alive() || round == kMostRounds) {
        return hog;
      }
      std::cout << "repeated: the victim was gone before " << base::to_string(death.point) << '\n';
    }
  }
};

TEST_F(KilledAtEachStep, NoDecisionIsLostAndNoneIsTakenTwice) {
  std::set<FaultPoint> reached;
  for (const Death& death : deaths()) {
    SCOPED_TRACE(testing::Message()
                 << base::to_string(death.point) << ':' << death.time << ' ' << death.way);
    Actor& hog = kill_daemon_at(death);
    ASSERT_FALSE(HasFatalFailure());
    reached.insert(death.point);

    start_daemon(config_for(death.way));

    const auto end = hog.await_end();
    ASSERT_TRUE(end) << log();
    EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
    const Json seen = await_status([](const Json& now) {
      return now["last_pass"].is_object() && now["last_pass"]["outcome"] == "nothing_met";
    });
    EXPECT_EQ(await_record(hog, "")["uid"], hog.pod.uid) << "killed without a record";
    if (death.signalled) {
      EXPECT_EQ(seen["counters"]["actuator"]["sigterms"], 0) << log();
      EXPECT_EQ(seen["counters"]["evictions"], 0) << log();
    }
    expect_nobody_else_died();
  }
  // Those that come only after a restart.
  for (const FaultPoint point : {FaultPoint::kStateRead, FaultPoint::kAdopted}) {
    SCOPED_TRACE(base::to_string(point));
    Actor& hog = set_stage(Way::kSoftLate);
    start_daemon(config_for(Way::kSoftLate), {}, dying_at(FaultPoint::kStateDurable, 2));
    hog.load.go();
    ASSERT_TRUE(await_death_of_daemon()) << log();
    if (!fails_to_start(dying_at(point))) {
      ADD_FAILURE() << "never reached";
    } else {
      reached.insert(point);
    }
    start_daemon(config_for(Way::kSoftLate));
    ASSERT_TRUE(hog.await_end()) << log();
    EXPECT_EQ(status()["counters"]["actuator"]["sigterms"], 0) << log();
    expect_nobody_else_died();
  }
  std::cout << "killed at " << reached.size() << " points, " << deaths().size() + 2 << " times\n";
#define EVICTD_FAULT_POINT_REACHED(enumerator, name) \
  EXPECT_TRUE(reached.contains(FaultPoint::enumerator)) << "never killed at " << (name);
  EVICTD_FAULT_POINTS(EVICTD_FAULT_POINT_REACHED)
#undef EVICTD_FAULT_POINT_REACHED
}

TEST_F(State, APodThatWasNotKilledAfterAllCanForkAgain) {
  Actor& hog = set_stage(Way::kAtOnce);
  const std::filesystem::path pids_max = pids_max_of(hog);
  ASSERT_TRUE(std::ofstream(pids_max) << "77" << std::flush);
  start_daemon(config_for(Way::kAtOnce), {}, dying_at(FaultPoint::kForksStopped));
  hog.load.go();
  ASSERT_TRUE(await_death_of_daemon()) << "never reached; log: " << log();

  Json nothing_met = config_for(Way::kAtOnce);
  nothing_met["evictionHard"] = {{"allocatableMemory.available", "1"}};
  start_daemon(nothing_met);

  EXPECT_EQ(stage::read_text(pids_max).value_or(""), "77\n") << log();
  EXPECT_TRUE(hog.alive());
  EXPECT_EQ(status()["counters"]["evictions"], 0);
}

TEST_F(State, APodCanForkAgainOnceItsVictimIsGone) {
  // With no restart between, and with one at each step from which a pids.max of 0 could be left.
  for (const FaultPoint point : {FaultPoint::kNone, FaultPoint::kSignalled, FaultPoint::kReported,
                                 FaultPoint::kReleased, FaultPoint::kIntentCleared}) {
    SCOPED_TRACE(base::to_string(point));
    Actor& hog = set_stage(Way::kAtOnce);
    const std::filesystem::path pids_max = pids_max_of(hog);
    ASSERT_TRUE(std::ofstream(pids_max) << "77" << std::flush);
    start_daemon(config_for(Way::kAtOnce), {},
                 point == FaultPoint::kNone ? std::vector<std::string>{} : dying_at(point));
    hog.load.go();
    ASSERT_TRUE(hog.await_end()) << log();
    if (point != FaultPoint::kNone) {
      ASSERT_TRUE(await_death_of_daemon()) << "never reached; log: " << log();
      start_daemon(config_for(Way::kAtOnce));
    }

    // Not its record: of one that was over before the state was on disk the next evictd knows
    // nothing.
    await_status([&](const Json&) { return stage::read_text(pids_max).value_or("") == "77\n"; });
    EXPECT_EQ(stage::read_text(pids_max).value_or(""), "77\n") << log();
  }
}

TEST_F(State, AVictimInItsSoftGraceKeepsItsDeadlineOverARestart) {
  Actor& hog = set_stage(Way::kSoft);
  Json config = config_for(Way::kSoft);
  config["evictionMaxPodGracePeriod"] = 3;
  start_daemon(config);
  hog.load.go();
  const Json record = await_record(hog, "terminating");
  kill_daemon();

  start_daemon(config);

  const Json seen = status();
  EXPECT_EQ(seen["state"]["adopted"], 1) << seen.dump(1);
  const auto end = hog.await_end();
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  EXPECT_GE(
      end->at.time_since_epoch().count() - record["timeline"]["signal_ns"].get<std::int64_t>(),
      std::chrono::nanoseconds(std::chrono::milliseconds(2990)).count());
  EXPECT_EQ(status()["counters"]["actuator"]["sigterms"], 0);
  expect_nobody_else_died();
}

TEST_F(State, AVictimThatIsProtectedByNowIsLetGoForGood) {
  Actor& hog = set_stage(Way::kSoft);
  begin_and_abandon(hog);
  Json protecting = config_without_pressure();
  protecting["neverEvict"] = {{"namespaces", {"default"}}};

  start_daemon(protecting);

  EXPECT_EQ(lines_with(log(), "cannot be evicted (never_evict)"), 1U) << log();
  EXPECT_EQ(status()["state"]["adopted"], 0);
  EXPECT_EQ(await_record(hog, "exceeded_grace")["not_killed"], "never_evict");
  await_status([&](const Json&) { return !is_in_state_file(hog); });
  kill_daemon();

  start_daemon(config_without_pressure());

  EXPECT_EQ(status()["state"]["adopted"], 0) << "its cgroup still said that it is to be ended";
  EXPECT_TRUE(hog.alive());
  EXPECT_EQ(status()["counters"]["actuator"]["sigkills"], 0);
}

TEST_F(State, ADryRunLeavesAVictimInItsGraceToTheNextEvictd) {
  Actor& hog = set_stage(Way::kSoft);
  begin_and_abandon(hog);
  Json dry = config_without_pressure();
  dry["dryRun"] = true;

  start_daemon(dry);

  EXPECT_EQ(lines_with(log(), "that an earlier evictd was evicting"), 1U) << log();
  EXPECT_EQ(status()["state"]["adopted"], 0);
  // That the configuration is a dry run is kept too.
  await_status([](const Json& now) { return now["state"]["writes"] > 0; });
  EXPECT_TRUE(is_in_state_file(hog));
  EXPECT_TRUE(hog.alive());
  kill_daemon();

  start_daemon(config_without_pressure());

  EXPECT_EQ(status()["state"]["adopted"], 1) << log();
  EXPECT_EQ(status()["counters"]["actuator"]["sigterms"], 0);
}

TEST_F(State, AGracePeriodThatRunsIsNotBegunAnew) {
  Actor& hog = set_stage(Way::kSoft);
  Json config = config_for(Way::kSoft);
  config["evictionSoftGracePeriod"] = {{"allocatableMemory.available", "1h"}};
  start_daemon(config);
  hog.load.go();
  const auto met_for = [](const Json& now) {
    for (const Json& signal : now["signals"]) {
      if (signal["kind"] == "soft" && signal.contains("met_since_ms")) {
        return signal["met_since_ms"].get<std::int64_t>();
      }
    }
    return std::int64_t{-1};
  };
  const Json before = await_status([&](const Json& now) { return met_for(now) >= 500; });
  await_status([&](const Json&) { return has_threshold_in_state_file(); });
  kill_daemon();

  start_daemon(config);

  const Json after = await_status([&](const Json& now) { return met_for(now) >= 0; });
  EXPECT_GT(met_for(after), met_for(before));
  EXPECT_EQ(after["state"]["restored"], true);
  EXPECT_TRUE(hog.alive());
}

TEST_F(State, APauseAndADryRunOutliveARestart) {
  set_stage(Way::kAtOnce);
  start_daemon(config_for(Way::kAtOnce));
  for (const char* const request :
       {R"({"op":"pause","for":"1h","signal":"pid.available"})", R"({"op":"dry_run","on":true})"}) {
    ASSERT_TRUE(daemon_->ask(request));
  }
  // The answer came after the file was written.
  kill_daemon();

  start_daemon(config_for(Way::kAtOnce));

  const Json seen = status();
  EXPECT_EQ(seen["dry_run"], true);
  ASSERT_EQ(seen["brakes"]["pauses"].size(), 1U);
  EXPECT_EQ(seen["brakes"]["pauses"][0]["signal"], "pid.available");
}

TEST_F(State, RestoredVictimsAreNumberedByStartAndKeepNames) {
  Actor& hog = set_stage(Way::kSoft);
  begin_and_abandon(hog);
  Json body = state_body();
  ASSERT_EQ(body["in_flight"].size(), 1U);
  const auto vanished = [hog = body["in_flight"][0]](std::string_view name, std::int64_t later_ns) {
    Json other = hog;
    other["uid"] = name;
    other["cgroup"] = 1;
    other["name"] = name;
    other["began_ns"] = hog["began_ns"].get<std::int64_t>() + later_ns;
    return other;
  };
  // The intent on the cgroup is a little older than what the file has.
  body["in_flight"] = {vanished("last", 2), vanished("third", 1), body["in_flight"][0],
                       vanished("first", -1'000'000'000)};
  ASSERT_TRUE(stage::replace_file(state_file(), sealed_state(body.dump() + "\n")));
  remove_manifest(hog.pod.spec.name);

  start_daemon(config_without_pressure());

  std::vector<std::string> pods;
  for (const Json& record : ask("last_evictions")) {
    pods.push_back(record["pod"]);
    EXPECT_EQ(record["id"], pods.size());
  }
  const std::string name = "default/" + hog.pod.spec.name;
  EXPECT_EQ(pods,
            (std::vector<std::string>{"default/first", name, "default/third", "default/last"}))
      << log();
  EXPECT_EQ(lines_with(log(), name + " (" + hog.pod.uid + ") cannot be evicted"), 1U) << log();
}

TEST_F(State, AFileThatIsTornOrForeignIsIgnoredWithAWarning) {
  set_stage(Way::kAtOnce);
  std::size_t ignored = 0;
  for (const char* const text :
       {"", "evictd-state 1 5 0123456789abcdef\n{}", "evictd-state 9 1 0\n"}) {
    ASSERT_TRUE(stage::replace_file(state_file(), text));
    start_daemon(config_for(Way::kAtOnce));
    ++ignored;
    EXPECT_EQ(lines_with(log(), "continuing without the state of the last run"), ignored) << log();
    EXPECT_EQ(status()["state"]["restored"], false);
    daemon_.reset();
  }
}

}  // namespace
}  // namespace evictd::daemon::test
