// SPDX-License-Identifier: Apache-2.0
// podLogsDir of the kubelet's own file.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "kubelet_sources.h"

namespace evictd::config::test {
namespace {

TEST(KubeletPodLogs, AreTakenOverUnlessTheirDirectoryIsEmpty) {
  const auto logs_of = [](std::string_view file) {
    KubeletSources sources;
    sources.own("podLogsDir: /own/logs\n").file(file);
    EXPECT_TRUE(sources.config().ignored().empty());
    return sources.config()->storage.pod_logs_directory + " " + sources.origin("podLogsDir");
  };
  EXPECT_EQ(logs_of("podLogsDir: /data/logs/\n"), "/data/logs kubelet.yaml:3");
  EXPECT_EQ(logs_of("podLogsDir: \"\"\n"), "/own/logs evictd.yaml:1");
  EXPECT_EQ(logs_of("podLogsDir: null\n"), "/own/logs evictd.yaml:1");
  EXPECT_EQ(KubeletSources().file("podLogsDir: logs\n").error(),
            "kubelet.yaml:3: podLogsDir: logs: not an absolute path; allowed: an absolute path "
            "without \".\", \"..\" and empty parts");
}

}  // namespace
}  // namespace evictd::config::test
