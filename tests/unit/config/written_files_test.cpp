// SPDX-License-Identifier: Apache-2.0
#include "config/written_files.h"

#include <gtest/gtest.h>

#include "parsed.h"

namespace evictd::config {
namespace {

constexpr const char* kWithRecords =
    "recordFile: /a/records\nrecordFiles: 3\nstateFile: /a/state\nnotifySocket: /a/notify\n";

std::string recording_refusal(const std::string& path) {
  const Config config = parsed(kWithRecords);
  const Sources sources{.config_file = "/etc/evictd.yaml",
                        .kubelet_config_file = "/etc/kubelet.yaml",
                        .kubelet_config_dir = "/etc/kubelet.d/",
                        .flags = {}};
  const Result<> apart = check_recording_path("--record", path, config.settings(), sources);
  return apart ? "" : apart.error().message();
}

std::string shared_with(const std::string& key, const std::string& path) {
  return "--record: \"" + path + "\": the file of " + key +
         " is there; allowed: a path that no other file of evictd has";
}

TEST(RecordingPath, IsRefusedWhereEvictdWritesSomethingElse) {
  EXPECT_EQ(recording_refusal("/a/records"), shared_with("recordFile", "/a/records"));
  EXPECT_EQ(recording_refusal("/a/records.2"), shared_with("recordFile", "/a/records.2"));
  EXPECT_EQ(recording_refusal("/a/state"), shared_with("stateFile", "/a/state"));
  EXPECT_EQ(recording_refusal("/a/state.new"), shared_with("stateFile", "/a/state.new"));
  EXPECT_EQ(recording_refusal("/run/evictd/control.sock"),
            shared_with("controlSocket", "/run/evictd/control.sock"));
  EXPECT_EQ(recording_refusal("/a/notify"), shared_with("notifySocket", "/a/notify"));
  EXPECT_EQ(recording_refusal("/a/notify.new"), shared_with("notifySocket", "/a/notify.new"));
}

TEST(RecordingPath, IsRefusedWhereEvictdReadsItsConfiguration) {
  EXPECT_EQ(recording_refusal("/etc/evictd.yaml"), shared_with("--config", "/etc/evictd.yaml"));
  EXPECT_EQ(recording_refusal("/etc/kubelet.yaml"),
            shared_with("--kubelet-config", "/etc/kubelet.yaml"));
  EXPECT_EQ(recording_refusal("/etc/kubelet.d/10.conf"),
            shared_with("--kubelet-config-dir", "/etc/kubelet.d/10.conf"));
  EXPECT_EQ(recording_refusal("/etc/kubelet.d/recording"), "") << "no drop-in";
}

TEST(RecordingPath, IsComparedHoweverItIsWritten) {
  EXPECT_EQ(recording_refusal("/a/./b/../records"), shared_with("recordFile", "/a/records"));
}

TEST(RecordingPath, MayNotBeRenamedOntoAnotherFile) {
  const Config config = parsed("recordFile: /a/b.1\n");
  const Result<> apart = check_recording_path("--record", "/a/b", config.settings(), {});
  ASSERT_FALSE(apart);
  EXPECT_EQ(apart.error().message(), shared_with("recordFile", "/a/b.1"));
}

TEST(RecordingPath, IsRefusedWhereSomethingElseThanAFileIs) {
  const auto is_other = [](const std::string& path) {
    return "--record: \"" + path +
           "\": not a regular file; allowed: a path where a regular file is, or nothing yet";
  };
  EXPECT_EQ(recording_refusal("/dev/full"), is_other("/dev/full"));
  EXPECT_EQ(recording_refusal("/dev"), is_other("/dev"));
}

TEST(RecordingPath, OfItsOwnIsAccepted) {
  EXPECT_EQ(recording_refusal("/a/recording"), "");
  EXPECT_EQ(recording_refusal("/a/records.3"), "") << "two are kept beside the file";
}

}  // namespace
}  // namespace evictd::config
