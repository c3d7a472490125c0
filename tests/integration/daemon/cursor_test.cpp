// SPDX-License-Identifier: Apache-2.0
// Who follows the journal from a cursor misses nothing, and hears of pods that nobody described.
#include <csignal>
#include <fstream>

#include "arena.h"
#include "must.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

class Cursor : public Arena {
 protected:
  [[nodiscard]] Json config() const {
    Json made = base_config(Source::kEvents);
    made["recordFile"] = (scratch_->path() / "records.jsonl").string();
    return made;
  }
  /// The lines of the journal in memory.
  [[nodiscard]] Json events() { return ask("events")["events"]; }
  /// The event of this pod, once it is there; a test failure if there is none in time.
  [[nodiscard]] Json await_unknown(const std::string& uid) {
    Json found;
    await_status([&](const Json& /*status*/) {
      for (const Json& line : events()) {
        if (line["kind"] == "unknown_pod" && line["uid"] == uid) {
          found = line;
        }
      }
      return found.is_object();
    });
    return found;
  }
  /// What `evictctl events --follow --after SEQ` shows, of a daemon that ends meanwhile.
  [[nodiscard]] std::vector<Json> followed_after(std::uint64_t seq) {
    const std::filesystem::path output = scratch_->path() / "followed";
    stage::Child follower = must(stage::Child::start(
        {.argv = {EVICTCTL, "events", "--follow", "--json", "--after", std::to_string(seq),
                  "--socket", (scratch_->path() / "control.sock").string()},
         .output = output}));
    // It has asked once it shows something: there is a line behind each of these cursors.
    await_status([&](const Json& /*status*/) { return std::filesystem::file_size(output) != 0; });
    must(daemon_->stop());
    must(follower.wait(kPatience));
    std::vector<Json> lines;
    std::ifstream in(output);
    for (std::string line; std::getline(in, line);) {
      if (Json parsed = Json::parse(line, nullptr, false); parsed.is_object()) {
        lines.push_back(std::move(parsed));
      }
    }
    return lines;
  }
};

TEST_F(Cursor, APodThatNobodyDescribesIsToldOnce) {
  start_daemon(config());
  const stage::StagedPod pod = make_pod({.name = "stranger"});
  start_hog(pod, kModest);
  const Json told = await_unknown(pod.uid);
  EXPECT_NE(told["cgroup"].get<std::string>().find(pod.uid), std::string::npos) << told;
  write_manifest(pod);
  await_status([&](const Json& status) { return pod_in(status, pod.uid)["origin"] == "manifest"; });
  std::size_t count = 0;
  for (const Json& line : events()) {
    count += line["kind"] == "unknown_pod" ? 1 : 0;
  }
  EXPECT_EQ(count, 1U);
}

TEST_F(Cursor, AFollowerGoesOnWhereItWasAlsoAfterARestart) {
  start_daemon(config());
  const Json first = events()[0];
  EXPECT_EQ(first["what"], "started");
  must(daemon_->stop());
  start_daemon(config());
  const std::vector<Json> lines = followed_after(first["seq"].get<std::uint64_t>());
  ASSERT_GE(lines.size(), 3U);
  std::uint64_t last = first["seq"].get<std::uint64_t>();
  std::size_t starts = 0;
  for (const Json& line : lines) {
    EXPECT_NE(line["kind"], "skipped");
    EXPECT_NE(line["kind"], "gap");
    EXPECT_GT(line["seq"].get<std::uint64_t>(), last) << line;
    last = line["seq"].get<std::uint64_t>();
    starts += line["what"] == "started" ? 1 : 0;
  }
  EXPECT_EQ(starts, 1U) << "its own start, and not that of the line itself";
}

TEST_F(Cursor, AFollowerWhoseLinesAreGoneIsToldSo) {
  start_daemon(base_config(Source::kEvents));
  const std::vector<Json> lines = followed_after(5);
  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(lines[0]["kind"], "skipped");
  EXPECT_EQ(lines[0]["after"], 5);
  EXPECT_EQ(lines[0]["first"], lines[1]["seq"]);
  EXPECT_EQ(lines[0]["conditions"],
            (Json{{"DiskPressure", false}, {"MemoryPressure", false}, {"PIDPressure", false}}));
}

}  // namespace
}  // namespace evictd::daemon::test
