// SPDX-License-Identifier: Apache-2.0
// A victim of a disk is awaited, and its data removed, whichever evictd began its eviction.
#include <csignal>
#include <fstream>
#include <string>
#include <utility>

#include "disk_arena.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

using load::LoadKind;

/// Past the threshold, and not all that there is.
constexpr std::int64_t kTooMuch = 130 * kMiB;

class DiskRestart : public DiskArena {
 protected:
  [[nodiscard]] Json config_for(std::int64_t grace_seconds, std::string_view pod_data) const {
    Json config = disk_config(Source::kPolling);
    config["evictionHard"] = {{"nodefs.available", std::to_string(kDiskHeadroom)}};
    config["hardEvictionGracePeriodSeconds"] = grace_seconds;
    config["hardEvictionFloor"] = "0%";
    config["evictedPodData"] = pod_data;
    config["recordFile"] = record_file();
    return config;
  }
  [[nodiscard]] std::string record_file() const { return scratch_->path() / "records.jsonl"; }
  /// What the record file says of a victim; the daemon has ended.
  [[nodiscard]] Json last_line_of(const Actor& victim) const {
    std::ifstream in(record_file());
    Json last;
    for (std::string text; std::getline(in, text);) {
      Json line = Json::parse(text);
      if (line["kind"] == "decision" && line["uid"] == victim.pod.uid) {
        last = std::move(line);
      }
    }
    return last;
  }
  void kill_daemon_with_sigkill() {
    ASSERT_EQ(::kill(daemon_->pid(), SIGKILL), 0);
    daemon_.reset();
  }
  void await_in_state_file(std::string_view part) {
    await_status([&](const Json&) {
      return stage::read_text(scratch_->path() / "state").value_or("").find(part) !=
             std::string::npos;
    });
  }
  static Json what_is_held(const Json& record, std::string_view what) {
    for (const Json& row : record["release"]) {
      if (row["what"] == what) {
        return row["state"];
      }
    }
    return nullptr;
  }
};

TEST_F(DiskRestart, AVictimInItsGraceIsKilledAndItsDataRemoved) {
  const Actor& steady = add_holder({.name = "steady"}, 8 * kMiB);
  Actor& filler =
      add_filler({.name = "filler"}, LoadKind::kFileBytes, kTooMuch, Manners::kStubborn);
  const Json config = config_for(2, "removeEmptyDirs");
  start_daemon(config);
  filler.load.go();
  static_cast<void>(await_record(filler, "terminating"));
  kill_daemon_with_sigkill();

  start_daemon(config);

  const auto end = filler.await_end();
  ASSERT_TRUE(end) << log();
  EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
  await_status(
      [&](const Json&) { return what_is_held(await_record(filler), "data") == "removed"; });
  const Json after = await_status([](const Json& seen) {
    const Json signal = signal_in(seen, "nodefs.available");
    return !signal["met"].get<bool>() && signal["available"].get<std::int64_t>() > kDiskHeadroom;
  });
  EXPECT_EQ(after["counters"]["evictions"], 0) << "it was begun by the one before";
  EXPECT_EQ(what_is_held(await_record(filler), "processes"), "gone");
  EXPECT_TRUE(steady.alive());
  ASSERT_TRUE(daemon_->stop());
  EXPECT_EQ(what_is_held(last_line_of(filler), "data"), "removed") << "in the record file too";
}

TEST_F(DiskRestart, NobodyElseDiesWhileAVictimThatIsGoneIsAwaited) {
  const Actor& steady = add_holder({.name = "steady"}, 8 * kMiB);
  Actor& filler = add_filler({.name = "filler"}, LoadKind::kFileBytes, kTooMuch);
  const Json config = config_for(0, "keep");
  start_daemon(config);
  filler.load.go();
  ASSERT_TRUE(filler.await_end());
  await_in_state_file("\"gone\":true");
  kill_daemon_with_sigkill();

  start_daemon(config);

  const Json after = await_status([](const Json& seen) {
    return seen["last_pass"].is_object() && seen["last_pass"]["outcome"] == "held" &&
           seen["last_pass"]["reason"] == "release_pending";
  });
  EXPECT_EQ(after["counters"]["evictions"], 0);
  EXPECT_EQ(after["state"]["adopted"], 1);
  EXPECT_TRUE(steady.alive());
  const Json record = await_record(filler);
  EXPECT_EQ(what_is_held(record, "processes"), "gone");
  EXPECT_EQ(what_is_held(record, "cgroup"), "there");
  EXPECT_EQ(what_is_held(record, "data"), "kept");
}

TEST_F(DiskRestart, ADryRunRemovesNothingOfAnEarlierVictimsDisk) {
  Actor& filler = add_filler({.name = "filler"}, LoadKind::kFileBytes, kTooMuch);
  start_daemon(config_for(0, "keep"));
  filler.load.go();
  ASSERT_TRUE(filler.await_end());
  await_in_state_file("\"gone\":true");
  kill_daemon_with_sigkill();
  Json dry = config_for(0, "removeEmptyDirs");
  dry["dryRun"] = true;

  start_daemon(dry);

  const Json after = await_status([](const Json& seen) { return seen["last_pass"].is_object(); });
  EXPECT_EQ(after["state"]["adopted"], 0);
  EXPECT_EQ(lines_with(log(), "that an earlier evictd was evicting"), 1U) << log();
  EXPECT_TRUE(signal_in(after, "nodefs.available")["met"].get<bool>());
  await_in_state_file("\"gone\":true");
}

TEST_F(DiskRestart, AThresholdThatWasDerivedForContainerfsKeepsItsTimer) {
  static_cast<void>(add_ballast(kTooMuch));
  Json config = disk_config(Source::kPolling);
  config["evictionHard"] = Json::object();
  config["evictionSoft"] = {{"nodefs.available", std::to_string(kDiskHeadroom)}};
  config["evictionSoftGracePeriod"] = {{"nodefs.available", "1h"}};
  start_daemon(config);
  const auto met_for = [](const Json& seen) {
    const Json signal = signal_in(seen, "containerfs.available");
    return signal.contains("met_since_ms") ? signal["met_since_ms"].get<std::int64_t>() : -1;
  };
  const Json before = await_status([&](const Json& seen) { return met_for(seen) >= 500; });
  await_in_state_file("containerfs.available");
  kill_daemon_with_sigkill();

  start_daemon(config);

  const Json after = await_status([&](const Json& seen) { return met_for(seen) >= 0; });
  EXPECT_GT(met_for(after), met_for(before));
  EXPECT_EQ(lines_with(log(), "is no longer configured"), 0U) << log();
}

}  // namespace
}  // namespace evictd::daemon::test
