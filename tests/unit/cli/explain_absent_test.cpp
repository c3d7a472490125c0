// SPDX-License-Identifier: Apache-2.0
#include "cli/explain_absent.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evictd::cli {
namespace {

TEST(ExplainAbsent, APodThatMayNeverBeEvictedIsToldWhy) {
  const auto last_of = [](const char* protection) {
    const nlohmann::ordered_json pod = {{"namespace", "a"},
                                        {"name", "b"},
                                        {"uid", "u"},
                                        {"state", "active"},
                                        {"protection", protection}};
    return story_of_absent({{"pods", nlohmann::ordered_json::array({pod})}}, "a/b").back();
  };
  EXPECT_EQ(last_of("outside_root"),
            "It may never be evicted: protected (outside_root): its directory is not, or no "
            "longer, the one that was opened below the pod root.");
  EXPECT_EQ(last_of("unknown"),
            "It may never be evicted: protected (unknown): no source of pods knows its cgroup.");
  EXPECT_EQ(last_of("own_process"),
            "It may never be evicted: protected (own_process): evictd itself or pid 1 is in it.");
}

TEST(ExplainAbsent, APodThatTheDaemonKnowsIsAnsweredFor) {
  const nlohmann::ordered_json status = {
      {"pods",
       {{{"namespace", "kube-system"},
         {"name", "dns"},
         {"uid", "u1"},
         {"state", "active"},
         {"protection", "critical"}},
        {{"namespace", "a"}, {"name", "b"}, {"uid", "u2"}, {"state", "no_cgroup"}}}}};
  const std::vector<std::string> active = story_of_absent(status, "kube-system/dns");
  ASSERT_EQ(active.size(), 3U);
  EXPECT_EQ(active[0], "Pod kube-system/dns (u1) took part in none of the recorded decisions.");
  EXPECT_EQ(active[2], "It may never be evicted: protected (critical): its priority is critical.");
  const std::vector<std::string> gone = story_of_absent(status, "u2");
  ASSERT_EQ(gone.size(), 2U);
  EXPECT_EQ(gone[1], "It has no cgroup.");
  EXPECT_TRUE(story_of_absent(status, "ghost").empty());
  EXPECT_TRUE(story_of_absent(nlohmann::ordered_json(), "dns").empty());
  EXPECT_TRUE(story_of_absent({{"pods", {1, nullptr}}}, "dns").empty());
}

}  // namespace
}  // namespace evictd::cli
