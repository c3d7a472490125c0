// SPDX-License-Identifier: Apache-2.0
#include "cli/check_config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "support/fake_tree.h"

namespace evictd::cli {
namespace {

CheckConfigOptions options_for(const std::string& path, bool json = false) {
  CheckConfigOptions options;
  options.sources.config_file = path;
  options.json = json;
  return options;
}

/// One run over a file of the given text.
struct Checked {
  explicit Checked(const std::string& text, bool json = false) {
    const test::FakeTree tree;
    tree.write("/evictd.yaml", text);
    path = tree.real("/evictd.yaml");
    std::ostringstream out_stream;
    std::ostringstream error_stream;
    exit_status = check_config(options_for(path, json), out_stream, error_stream);
    out = out_stream.str();
    errors = error_stream.str();
  }

  std::string path;
  int exit_status = -1;
  std::string out;
  std::string errors;
};

TEST(CheckConfig, AValidFileIsPrintedWithTheOriginOfEachValue) {
  const Checked run("evictUnknownPods: true\npollInterval: 2s\n");
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_EQ(run.errors, "");
  EXPECT_NE(run.out.find("pollInterval: \"2s\"  # " + run.path + ":2\n"), std::string::npos);
  EXPECT_NE(run.out.find("eventSource: \"auto\"  # default\n"), std::string::npos);
}

TEST(CheckConfig, AWarningIsSaidAndStopsNothing) {
  const Checked run("evictUnknownPods: true\nevictionPressureTransitionPeriod: 0s\n");
  EXPECT_EQ(run.exit_status, 0);
  EXPECT_EQ(run.errors, "warning: " + run.path +
                            ":2: evictionPressureTransitionPeriod: 0s is taken as written; the "
                            "kubelet reads it in a file as 5m\n");
}

TEST(CheckConfig, AnInvalidFileIsOneErrorAndNothingElse) {
  const Checked run("evictUnknownPods: 1\n");
  EXPECT_EQ(run.exit_status, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.errors, "error: " + run.path +
                            ":1: evictUnknownPods: 1: no truth value; allowed: true or false, "
                            "without quotes\n");
}

TEST(CheckConfig, AMissingFileIsAnError) {
  std::ostringstream out;
  std::ostringstream errors;
  EXPECT_EQ(check_config(options_for("/nonexistent/evictd.yaml"), out, errors), 1);
  EXPECT_EQ(errors.str(), "error: open /nonexistent/evictd.yaml: No such file or directory\n");
}

TEST(CheckConfig, JsonIsOneObjectEitherWay) {
  const Checked valid("evictUnknownPods: true\n", true);
  EXPECT_EQ(valid.exit_status, 0);
  EXPECT_EQ(nlohmann::json::parse(valid.out)["settings"]["evictUnknownPods"], true);
  const Checked invalid("evictUnknownPods: 1\n", true);
  EXPECT_EQ(invalid.exit_status, 1);
  EXPECT_EQ(nlohmann::json::parse(invalid.out)["error"],
            invalid.path +
                ":1: evictUnknownPods: 1: no truth value; allowed: true or false, "
                "without quotes");
}

}  // namespace
}  // namespace evictd::cli
