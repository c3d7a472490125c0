// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "replay/pass_json.h"
#include "replay/recording_file.h"
#include "replay/replay.h"
#include "support/fake_tree.h"

namespace evictd::replay::test {

inline constexpr const char* kYaml =
    "evictionHard:\n  allocatableMemory.available: 64Mi\nhardEvictionGracePeriodSeconds: 0\n";

inline MonoTime at_ms(std::int64_t ms) {
  return MonoTime(std::chrono::seconds(100) + std::chrono::milliseconds(ms));
}

/// Runs a manager as the hot thread would, and writes down what goes in and comes out. There are
/// two pods, a hog with the number 0 and web with 1.
class Recorder {
 public:
  explicit Recorder(const std::string& yaml = kYaml) : manager_(manager_of({yaml}).value()) {
    add({{"evictd_recording", kRecordingVersion}, {"evictd_version", "test"}, {"wall_offset", 0}});
    add({{"config", yaml}});
    for (const char* name : {"hog", "web"}) {
      RecordedPod pod;
      pod.ns = "test";
      pod.name = name;
      pod.uid = std::string("uid-") + name;
      pod.labels = {{"app", name}};
      describe(pod);
    }
  }

  /// Another configuration from the next pass on, as a reload does it.
  void reload(const std::string& yaml) {
    eviction::EvictionManager manager = manager_of({yaml}).value();
    manager.inherit(manager_);
    manager_ = std::move(manager);
    add({{"config", yaml}});
    first_ = true;
  }
  /// Another description of a pod; its number.
  std::size_t describe(RecordedPod pod) {
    pod.number = pods_.size();
    add(to_json(pod));
    pods_.push_back(std::move(pod));
    return pods_.size() - 1;
  }

  /// One pass at which the pods hold so much of 256 MiB; the hog is gone where it holds nothing.
  void pass(MonoTime now, const std::string& trigger, Bytes hog, Bytes web,
            std::int64_t hog_rate = 0) {
    run(memory_pass(now, trigger, hog, web, hog_rate));
  }
  static RecordedPass memory_pass(MonoTime now, const std::string& trigger, Bytes hog, Bytes web,
                                  std::int64_t hog_rate = 0) {
    RecordedPass pass;
    pass.now = now;
    pass.trigger = trigger;
    pass.observations.emplace();
    (*pass.observations)[eviction::Signal::kAllocatableMemoryAvailable] = eviction::Observation{
        .available = (256_MiB - hog - web).value, .capacity = (256_MiB).value, .time = now};
    if (hog.value > 0) {
      pass.pods.push_back(pod(0, hog, hog_rate));
    }
    pass.pods.push_back(pod(1, web, 0));
    return pass;
  }
  /// Runs any pass: what it is given comes from `pass`, what came out is added to it.
  const eviction::Decision& run(RecordedPass pass) {
    pass.missed = std::exchange(missed_, 0);
    pass.cadence = pass.trigger == "crossing" || pass.trigger == "disk"
                       ? eviction::Cadence::kEventOnly
                       : eviction::Cadence::kRegular;
    if (first_ || pass.missed != 0) {
      pass.before = manager_.state();
      pass.waiting_before = manager_.suspended();
    }
    first_ = false;
    if (!pass.layout) {
      pass.layout = eviction::DiskLayout{};
    }
    std::vector<const RecordedPod*> pods;
    for (const RecordedPod& pod : pods_) {
      pods.push_back(&pod);
    }
    PassInputs inputs(pods);
    const eviction::PassInput input = inputs.of(pass);
    const eviction::Decision& decision =
        pass.resumed ? manager_.resume(pass.now, input) : manager_.synchronize(pass.now, input);
    if (decision.victim) {
      pass.signal_at = pass.now;
    }
    for (const eviction::LocalStorageVictim& victim : decision.local_victims) {
      pass.local_signalled.push_back(victim.pod);
    }
    pass.decision = to_json(decision);
    pass.state = to_json(manager_.state());
    add(to_json(pass));
    return decision;
  }
  void lose_a_pass(MonoTime now) {
    const std::string kept = std::exchange(lines_, {});
    pass(now, "regular", 10_MiB, 10_MiB);
    lose(kept);
  }
  void lose_a_pass(RecordedPass pass) {
    const std::string kept = std::exchange(lines_, {});
    run(std::move(pass));
    lose(kept);
  }
  void add(const Json& line) { lines_ += line.dump() + "\n"; }
  [[nodiscard]] std::string& lines() { return lines_; }

  /// The bytes of a file with these lines.
  [[nodiscard]] std::string bytes(bool with_end = true) const {
    const evictd::test::FakeTree tree;
    const std::filesystem::path path = tree.real("/recording");
    RecordingFile file = RecordingFile::create(path).value();
    file.add(lines_);
    EXPECT_TRUE(file.flush());
    if (with_end) {
      file.add("{\"end\":\"stopped\"}\n");
      EXPECT_TRUE(file.flush());
    }
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] Recording recording() const {
    Result<Recording> parsed = parse_recording(bytes(), "test");
    EXPECT_TRUE(parsed) << parsed.error().message();
    return parsed ? std::move(*parsed) : Recording{};
  }

  static RecordedPodPass pod(std::size_t number, Bytes usage, std::int64_t rate) {
    RecordedPodPass made;
    made.number = number;
    made.reading.state = eviction::ReadingState::kRead;
    made.reading.working_set_bytes = usage.value;
    made.reading.processes = 1;
    made.usage.usage = usage;
    made.usage.rate_bytes_per_second = rate;
    return made;
  }

 private:
  void lose(const std::string& kept) {
    lines_ = kept;
    ++missed_;
  }

  eviction::EvictionManager manager_;
  std::deque<RecordedPod> pods_;
  std::string lines_;
  std::uint64_t missed_ = 0;
  bool first_ = true;
};

}  // namespace evictd::replay::test
