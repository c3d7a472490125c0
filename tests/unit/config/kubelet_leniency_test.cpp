// SPDX-License-Identifier: Apache-2.0
// What the kubelet takes although it can hardly be meant: taken from its sources, with a warning.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/effective.h"
#include "kubelet_sources.h"

namespace evictd::config::test {
namespace {

using Texts = std::map<std::string, std::string>;

TEST(KubeletLeniency, ASoftGracePeriodWithoutItsThresholdIsLeftOutWithAWarning) {
  KubeletSources sources;
  sources
      .file(
          "evictionSoft: {memory.available: 1Gi}\n"
          "evictionSoftGracePeriod:\n  memory.available: 1m\n  nodefs.available: 2m\n")
      .drop_in("1.conf", "evictionSoftGracePeriod:\n  pid.available: 3m\n");
  const Config config = sources.config();
  EXPECT_EQ(config->eviction.soft_grace_period, (Texts{{"memory.available", "1m"}}));
  EXPECT_EQ(texts_about("evictionSoftGracePeriod", sources),
            (std::vector<std::string>{
                "kubelet.yaml:6: evictionSoftGracePeriod[nodefs.available]: there is no soft "
                "threshold that it belongs to, it is left out",
                "kubelet.d/1.conf:4: evictionSoftGracePeriod[pid.available]: there is no soft "
                "threshold that it belongs to, it is left out"}));
  // What is shown is a file that evictd's own reader takes.
  EXPECT_TRUE(parse(effective_yaml(config), "shown.yaml").has_value());
}

TEST(KubeletLeniency, AFlagMayLeaveASoftGracePeriodWithoutItsThreshold) {
  KubeletSources sources;
  sources
      .file(
          "evictionSoft: {memory.available: 1Gi}\n"
          "evictionSoftGracePeriod: {memory.available: 1m}\n")
      .flags({"--eviction-soft="});
  EXPECT_TRUE(sources.config()->eviction.soft_grace_period.empty());
  EXPECT_EQ(texts_about("evictionSoftGracePeriod", sources).size(), 1U);
  EXPECT_EQ(texts_about("evictionSoftGracePeriod",
                        KubeletSources().flags({"--eviction-soft-grace-period=pid.available=1m"})),
            (std::vector<std::string>{
                "flag --eviction-soft-grace-period: evictionSoftGracePeriod[pid.available]: there "
                "is no soft threshold that it belongs to, it is left out"}));
}

TEST(KubeletLeniency, ASoftGracePeriodWithoutItsThresholdInEvictdsOwnFileStaysAnError) {
  KubeletSources sources;
  sources.own("evictionSoftGracePeriod: {memory.available: 1m}\n").file("maxPods: 1\n");
  EXPECT_EQ(sources.error(),
            "evictd.yaml:1: evictionSoftGracePeriod[memory.available]: \"1m\": a grace period "
            "without a soft threshold; allowed: an evictionSoft for memory.available beside it");
}

}  // namespace
}  // namespace evictd::config::test
