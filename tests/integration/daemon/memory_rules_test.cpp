// SPDX-License-Identifier: Apache-2.0
// What memory.available is, and who watches it then.
#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "arena.h"
#include "stage/text_file.h"

namespace evictd::daemon::test {
namespace {

class MemoryRules : public Arena {
 protected:
  /// A threshold on the node that is far away, with these rules.
  [[nodiscard]] Json config_with(const Json& rules) const {
    Json config = memory_config(Source::kEvents);
    config["evictionHard"]["memory.available"] = "1Mi";
    config.update(rules);
    return config;
  }
  /// Bytes of one line of /proc/meminfo.
  static std::int64_t meminfo(const std::string& key) {
    std::istringstream words(stage::read_text("/proc/meminfo").value_or(""));
    for (std::string word; words >> word;) {
      std::int64_t kib = 0;
      if (word == key + ":" && words >> kib) {
        return kib * 1024;
      }
    }
    ADD_FAILURE() << key << " is not in /proc/meminfo";
    return 0;
  }
  static Json node_signal(const Json& status) {
    for (const Json& signal : status["signals"]) {
      if (signal["signal"] == "memory.available") {
        return signal;
      }
    }
    return nullptr;
  }
};

TEST_F(MemoryRules, OfTheKubeletAreWatchedByTheKernelSide) {
  add({.name = "pod"}, kModest);
  limit_memory();
  start_daemon(config_with(Json::object()));
  const Json seen = status();
  EXPECT_EQ(seen["memory_available"]["source"], "kubelet");
  EXPECT_EQ(seen["memory_available"]["watched_by_kernel"], true);
  EXPECT_EQ(seen["memory_available"]["polled"], false);
  EXPECT_EQ(node_signal(seen)["capacity"], meminfo("MemTotal"));
}

TEST_F(MemoryRules, OfTheKubeletLeaveOfTheNodeWhatItsFilesSay) {
  // What each CPU holds back of the items that are summed, and what others do between two looks.
  constexpr std::int64_t kApart = 24 * kMiB;
  add({.name = "pod"}, kModest);
  limit_memory();
  Json config = config_with(Json::object());
  config["pollInterval"] = "50ms";
  start_daemon(config);
  std::int64_t files = 0;
  const Json seen = await_status([&](const Json& now) {
    files = meminfo("MemTotal") - (meminfo("Cached") + meminfo("Buffers") + meminfo("SwapCached") +
                                   meminfo("AnonPages") - meminfo("Inactive(file)"));
    const Json signal = node_signal(now);
    return signal["observed"] == true &&
           std::abs(signal["available"].get<std::int64_t>() - files) <= kApart;
  });
  EXPECT_EQ(seen["event_source"], "bpf");
  EXPECT_NEAR(node_signal(seen)["available"].get<double>(), static_cast<double>(files), kApart);
}

TEST_F(MemoryRules, OfTheKernelsEstimateAreWatchedAndPolledAndItIsSaid) {
  add({.name = "pod"}, kModest);
  limit_memory();
  start_daemon(config_with({{"memoryAvailableSource", "memAvailable"}}));
  const Json seen = status();
  EXPECT_EQ(seen["memory_available"]["watched_by_kernel"], true);
  EXPECT_EQ(seen["memory_available"]["polled"], true);
  EXPECT_EQ(seen["hooks"]["node-available"], "vm_stat");
  EXPECT_EQ(lines_with(log(), "the kernel side watches the values that move with it"), 1U) << log();
  EXPECT_EQ(lines_with(log(), "continuing without kernel events for it"), 0U) << log();
}

TEST_F(MemoryRules, ThatNoHookServesArePolledAndItIsSaid) {
  add({.name = "pod"}, kModest);
  limit_memory();
  start_daemon(config_with({{"memoryAvailableSource", "memAvailable"},
                            {"swapAware", true},
                            {"attachPins", {{"node-available", "none"}}}}));
  const Json seen = status();
  EXPECT_EQ(seen["memory_available"]["source"], "memAvailable");
  EXPECT_EQ(seen["memory_available"]["swap_aware"], true);
  EXPECT_EQ(seen["memory_available"]["watched_by_kernel"], false);
  EXPECT_EQ(seen["memory_available"]["polled"], true);
  EXPECT_EQ(node_signal(seen)["observed"], true);
  EXPECT_EQ(node_signal(seen)["capacity"], meminfo("MemTotal") + meminfo("SwapTotal"));
  EXPECT_EQ(lines_with(log(), "continuing without kernel events for it"), 1U) << log();
  EXPECT_EQ(seen["oom_guard"]["watched_by_kernel"], false);
  EXPECT_EQ(lines_with(log(), "the OOM guard has passes and polling alone"), 1U) << log();
}

TEST_F(MemoryRules, ChangeWithAReloadAndLeaveOtherSignalsAsTheyWere) {
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(config_with(Json::object()));
  reload(config_with({{"memoryAvailableSource", "memAvailable"}, {"hugepageAware", true}}).dump());
  const Json seen = await_status(
      [](const Json& now) { return now["memory_available"]["source"] == "memAvailable"; });
  EXPECT_EQ(seen["memory_available"]["polled"], true);

  hog.load.go();

  ASSERT_TRUE(hog.await_end());
  const Json record = await_record(hog);
  EXPECT_TRUE(asked_for_by_kernel(record)) << record["trigger"];
  EXPECT_EQ(record["memory_available"]["source"], "memAvailable");
  EXPECT_EQ(record["memory_available"]["hugepage_aware"], true);
}

/// Rules whose memory.available is not what the kernel side watches, but moves with it.
class MovingMemoryRules : public MemoryRules, public testing::WithParamInterface<Json> {};
INSTANTIATE_TEST_SUITE_P(
    Of, MovingMemoryRules,
    testing::Values(Json{{"memoryAvailableSource", "memAvailable"}}, Json{{"swapAware", true}},
                    Json{{"memoryAvailableSource", "memAvailable"}, {"swapAware", true}}),
    [](const auto& rules) {
      std::string name;
      for (const auto& [key, value] : rules.param.items()) {
        name += key;
      }
      return name;
    });

TEST_P(MovingMemoryRules, WakeAPassAtTheCrossingWhereNoPollWould) {
  // Others use the machine too: neither may what they take in a moment be enough, nor what they
  // give back save the hog.
  constexpr std::int64_t kDistance = 256 * kMiB;
  const std::int64_t most = std::max(5 * kDistance, meminfo("MemTotal") / 4);
  Actor& hog = add_hog({.name = "hog"}, most);
  Json config = base_config(Source::kEvents);
  config.update(GetParam());
  config["adaptivePolling"] = {{"enabled", true}, {"min", "1h"}, {"max", "1h"}};
  config["hardEvictionGracePeriodSeconds"] = 0;
  config["evictionHard"] = {{"memory.available", "1Mi"}};
  start_daemon(config);
  const Json before = await_status([](const Json& now) {
    return !node_signal(now).is_null() && node_signal(now)["observed"] == true;
  });
  const std::int64_t limit = node_signal(before)["available"].get<std::int64_t>() - kDistance;
  config["evictionHard"]["memory.available"] = std::to_string(limit);
  reload(config.dump());
  // With the pass that it begins with: one that comes late would find the hog before the kernel
  // side does.
  await_status([&](const Json& now) {
    return node_signal(now)["met_below"] == limit &&
           now["counters"]["passes"]["regular"] > before["counters"]["passes"]["regular"];
  });

  hog.load.go();

  ASSERT_TRUE(hog.await_end()) << log();
  const Json record = await_record(hog);
  EXPECT_TRUE(asked_for_by_kernel(record)) << record["trigger"] << log();
  EXPECT_EQ(record["signal"], "memory.available");
  EXPECT_LT(record["available"].get<std::int64_t>(), limit);
}

}  // namespace
}  // namespace evictd::daemon::test
