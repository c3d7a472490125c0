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
                            ":1: evictUnknownPods: 1: expected a boolean; allowed: true or false, "
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
                ":1: evictUnknownPods: 1: expected a boolean; allowed: true or false, without "
                "quotes");
}

TEST(CheckConfig, TheNodeAddsWarningsAndWhatTheHardThresholdsReserve) {
  const test::FakeTree tree;
  tree.write("/evictd.yaml",
             "evictUnknownPods: true\nevictionHard: {memory.available: 10%}\n"
             "evictionMinimumReclaim: {memory.available: 2Gi}\n");
  CheckConfigOptions options = options_for(tree.real("/evictd.yaml"));
  options.look_at_node = [](const config::Config&) {
    config::NodeFacts facts;
    facts.memory_bytes = std::int64_t{1} << 30;
    return Result<config::NodeFacts>(facts);
  };
  std::ostringstream out;
  std::ostringstream errors;
  EXPECT_EQ(check_config(options, out, errors), 0);
  EXPECT_NE(errors.str().find("2Gi is more than the capacity 1Gi"), std::string::npos)
      << errors.str();
  EXPECT_TRUE(
      out.str().ends_with("# reserved by the hard thresholds:\n#   memory: 107374184 (10%)\n"))
      << out.str();
  options.json = true;
  std::ostringstream json;
  EXPECT_EQ(check_config(options, json, errors), 0);
  const nlohmann::json answer = nlohmann::json::parse(json.str());
  EXPECT_EQ(answer["reservation"], (nlohmann::json{{"memory", "107374184"}}));
  EXPECT_EQ(answer["warnings"].size(), 2U);
}

TEST(CheckConfig, WhatMeansNothingHereIsNotedOnce) {
  const test::FakeTree tree;
  tree.write("/kubelet.yaml",
             "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nport: 1\n");
  CheckConfigOptions options = options_for("");
  options.sources.kubelet_config_file = tree.real("/kubelet.yaml");
  std::ostringstream out;
  std::ostringstream errors;
  EXPECT_EQ(check_config(options, out, errors), 0);
  EXPECT_NE(errors.str().find("note: evictd ignores these kubelet settings: port (" + tree.path() +
                              "/kubelet.yaml:3)\n"),
            std::string::npos)
      << errors.str();
}

}  // namespace
}  // namespace evictd::cli
