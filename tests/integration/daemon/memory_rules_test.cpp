// SPDX-License-Identifier: Apache-2.0
// What memory.available is, and who watches it then.
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
  EXPECT_EQ(node_signal(seen)["capacity"], meminfo("MemTotal"));
}

TEST_F(MemoryRules, ThatNoCounterShowsArePolledAndItIsSaid) {
  add({.name = "pod"}, kModest);
  limit_memory();
  start_daemon(config_with({{"memoryAvailableSource", "memAvailable"}, {"swapAware", true}}));
  const Json seen = status();
  EXPECT_EQ(seen["memory_available"]["source"], "memAvailable");
  EXPECT_EQ(seen["memory_available"]["swap_aware"], true);
  EXPECT_EQ(seen["memory_available"]["watched_by_kernel"], false);
  EXPECT_EQ(node_signal(seen)["observed"], true);
  EXPECT_EQ(node_signal(seen)["capacity"], meminfo("MemTotal") + meminfo("SwapTotal"));
  EXPECT_EQ(lines_with(log(), "continuing without kernel events for it"), 1U) << log();
}

TEST_F(MemoryRules, ChangeWithAReloadAndLeaveOtherSignalsAsTheyWere) {
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(config_with(Json::object()));
  reload(config_with({{"memoryAvailableSource", "memAvailable"}, {"hugepageAware", true}}).dump());
  const Json seen = await_status(
      [](const Json& now) { return now["memory_available"]["source"] == "memAvailable"; });
  EXPECT_EQ(seen["memory_available"]["watched_by_kernel"], false);

  hog.load.go();

  ASSERT_TRUE(hog.await_end());
  const Json record = await_record(hog);
  EXPECT_TRUE(asked_for_by_kernel(record)) << record["trigger"];
  EXPECT_EQ(record["memory_available"]["source"], "memAvailable");
  EXPECT_EQ(record["memory_available"]["hugepage_aware"], true);
}

}  // namespace
}  // namespace evictd::daemon::test
