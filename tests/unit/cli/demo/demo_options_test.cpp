// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "demo/demo.h"

namespace evictd::demo {
namespace {

/// What the command line `arguments` is refused with; empty if it is not.
std::string refusal_of(const std::string& arguments) {
  CLI::App app;
  DemoOptions options;
  add_demo_options(app, options);
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(DemoOptions, AreRefusedOutOfRangeBeforeAnythingIsBuilt) {
  for (const std::string value : {"9ms", "2h", "0s", "-1s", "10", "soon"}) {
    const std::string refusal = refusal_of("--poll-interval=" + value);
    EXPECT_NE(refusal.find("--poll-interval: \"" + value + "\""), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("allowed: a duration from 10ms to 1h"), std::string::npos) << refusal;
  }
  for (const std::string value : {"61", "-1", "1.5", "many", "99999999999999999999"}) {
    const std::string refusal = refusal_of("--grace=" + value);
    EXPECT_EQ(refusal, "--grace: \"" + value +
                           "\": not allowed; allowed: a whole number of seconds from 0 to 60");
  }
}

TEST(DemoOptions, AreTakenAtTheirBounds) {
  for (const std::string arguments :
       {"--poll-interval 10ms", "--poll-interval 1h", "--grace 0", "--grace 60"}) {
    EXPECT_EQ(refusal_of(arguments), "") << arguments;
  }
}

}  // namespace
}  // namespace evictd::demo
