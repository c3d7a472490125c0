// SPDX-License-Identifier: Apache-2.0
#include "demo/daemon_config.h"

#include <gtest/gtest.h>

namespace evictd::demo {
namespace {

TEST(DemoDaemonConfig, RecordsDecisionsBesideTheRecording) {
  DemoOptions options;
  options.record = "/run/demo.rec";
  EXPECT_EQ(record_file_of(options, "/run/play"), "/run/demo.rec.records.jsonl");
  options.keep = true;
  EXPECT_EQ(record_file_of(options, "/run/play"), "/run/demo.rec.records.jsonl");
}

TEST(DemoDaemonConfig, KeepsDecisionsWithTheOtherFilesThatAreKept) {
  DemoOptions options;
  options.keep = true;
  EXPECT_EQ(record_file_of(options, "/run/play"), "/run/play/records.jsonl");
}

TEST(DemoDaemonConfig, RecordsNothingThatWouldBeRemovedUnread) {
  EXPECT_EQ(record_file_of(DemoOptions{}, "/run/play"), "");
}

}  // namespace
}  // namespace evictd::demo
