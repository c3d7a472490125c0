// SPDX-License-Identifier: Apache-2.0
#include "daemon/records/pass_recorder.h"

#include <gtest/gtest.h>

#include <string>

#include "base/system_clock.h"
#include "support/fake_tree.h"
#include "support/file_size_limit.h"

namespace evictd::daemon {
namespace {

class PassRecorderTest : public testing::Test {
 protected:
  [[nodiscard]] PassRecorder recorder() const {
    RecordingOptions options;
    options.file = file_;
    return PassRecorder::create(options, clock_, "1.0").value();
  }

  base::SystemClock clock_;
  test::FakeTree tree_;
  std::string file_ = tree_.real("/demo.rec");
};

TEST_F(PassRecorderTest, ARecordingWhoseEndTheDiskRefusesSaysSoAtTheStop) {
  PassRecorder refused = recorder();
  const test::FileSizeLimit limit(0);
  const std::string said = refused.stop();
  EXPECT_TRUE(said.starts_with("recording " + file_ + " has ended before evictd did (")) << said;
  EXPECT_NE(said.find("write " + file_), std::string::npos) << said;
  EXPECT_EQ(refused.stop(), "") << "once";
}

TEST_F(PassRecorderTest, ARecordingThatTheDiskTookSaysNothingAtTheStop) {
  PassRecorder taken = recorder();
  EXPECT_EQ(taken.stop(), "");
  EXPECT_GT(taken.worker().bytes(), 0U);
}

}  // namespace
}  // namespace evictd::daemon
