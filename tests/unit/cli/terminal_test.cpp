// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace evictd::cli {
namespace {

TEST(Terminal, AComplaintIsOneLineWhateverAPathHas) {
  testing::internal::CaptureStderr();
  complain("read /a\x1b[2J\nb: No such file or directory");
  warn("/a\xc2\x9b:1: not a record line of evictd, skipped");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "evictctl: read /a\\x1b[2J\\x0ab: No such file or directory\n"
            "evictctl: warning: /a\\xc2\\x9b:1: not a record line of evictd, skipped\n");
}

TEST(Terminal, AJsonLineHasNothingThatATerminalCouldObey) {
  const nlohmann::ordered_json json = {{"pod", "a\x1b\x7f\xc2\x9b\n\xc3\xa9\xff"}};
  EXPECT_EQ(json_line(json), R"({"pod":"a\u001b\u007f\u009b\n)"
                             "\xc3\xa9\xef\xbf\xbd\"}");
}

}  // namespace
}  // namespace evictd::cli
