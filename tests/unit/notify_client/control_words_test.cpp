// SPDX-License-Identifier: Apache-2.0
#include "notify_client/control_words.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "support/fake_tree.h"

namespace evictd::notify_client {
namespace {

std::uint64_t amount(std::string_view text) {
  return parse_amount(text).value();
}
int amount_error(std::string_view text) {
  return parse_amount(text).error().sys_errno;
}

TEST(ControlWords, AmountsAreReadAsTheKernelReadsThem) {
  EXPECT_EQ(amount("0"), 0U);
  EXPECT_EQ(amount("5242880"), 5242880U);
  EXPECT_EQ(amount("5M"), 5242880U);
  EXPECT_EQ(amount("5m"), 5242880U);
  EXPECT_EQ(amount("0x10k"), 16384U);
  EXPECT_EQ(amount("010"), 8U);
  EXPECT_EQ(amount("3G"), 3ULL << 30);
  EXPECT_EQ(amount("1T"), 1ULL << 40);
  EXPECT_EQ(amount("1P"), 1ULL << 50);
  EXPECT_EQ(amount("1E"), 1ULL << 60);
  EXPECT_EQ(amount("-1"), UINT64_MAX);
}

TEST(ControlWords, WhatIsNoAmountIsInvalid) {
  for (const char* text :
       {"", "M", "5MB", "5 M", "-2", "1.5G", "0x", "08", "99999999999999999999", "16E"}) {
    EXPECT_EQ(amount_error(text), EINVAL) << text;
  }
}

TEST(ControlWords, UsageIsRoundedDownToPagesAndTasksAreNot) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::string text = std::to_string(2 * page + 1);
  EXPECT_EQ(parse_control_arguments(EVICTD_NOTIFY_USAGE, text)->threshold, 2 * page);
  EXPECT_EQ(parse_control_arguments(EVICTD_NOTIFY_PIDS, text)->threshold, 2 * page + 1);
}

TEST(ControlWords, SpaceIsIgnoredAfterArgumentsAndRefusedBeforeThem) {
  EXPECT_EQ(parse_control_arguments(EVICTD_NOTIFY_PIDS, "7 \n")->threshold, 7U);
  EXPECT_FALSE(parse_control_arguments(EVICTD_NOTIFY_PIDS, " 7").has_value());
  EXPECT_FALSE(parse_control_arguments(EVICTD_NOTIFY_PRESSURE, " low").has_value());
}

TEST(ControlWords, APercentageIsOfTheLimit) {
  const auto watch = parse_control_arguments(EVICTD_NOTIFY_USAGE, "92.1%");
  ASSERT_TRUE(watch.has_value());
  EXPECT_EQ(watch->unit, static_cast<std::uint32_t>(EVICTD_NOTIFY_OF_LIMIT));
  EXPECT_EQ(watch->threshold, 921000U);
  for (const char* text : {"%", "101%", "-1%", "nan%", "1e1%", "5M%"}) {
    EXPECT_FALSE(parse_control_arguments(EVICTD_NOTIFY_USAGE, text).has_value()) << text;
  }
}

TEST(ControlWords, PressureHasALevelAndPerhapsAMode) {
  const auto plain = parse_control_arguments(EVICTD_NOTIFY_PRESSURE, "medium");
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->threshold, static_cast<std::uint64_t>(EVICTD_NOTIFY_MEDIUM));
  EXPECT_EQ(plain->mode, static_cast<std::uint32_t>(EVICTD_NOTIFY_DEFAULT));
  const auto whole = parse_control_arguments(EVICTD_NOTIFY_PRESSURE, "low,hierarchy");
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->mode, static_cast<std::uint32_t>(EVICTD_NOTIFY_HIERARCHY));
  for (const char* text : {"", "high", "low,", "low,all", "low,local,x", "LOW"}) {
    EXPECT_FALSE(parse_control_arguments(EVICTD_NOTIFY_PRESSURE, text).has_value()) << text;
  }
}

TEST(ControlWords, TheOomKillerTakesNoArguments) {
  EXPECT_TRUE(parse_control_arguments(EVICTD_NOTIFY_OOM, "").has_value());
  EXPECT_FALSE(parse_control_arguments(EVICTD_NOTIFY_OOM, "1").has_value());
}

TEST(ControlWords, AFilesNameSaysWhatIsListenedTo) {
  const auto file = parse_control_file("/c/a/memory.memsw.usage_in_bytes");
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->directory, "/c/a");
  EXPECT_EQ(file->signal, EVICTD_NOTIFY_MEMSW);
  EXPECT_EQ(parse_control_file("/c/memory.pressure_level")->signal, EVICTD_NOTIFY_PRESSURE);
  for (const char* name : {"memory.oom_control", "memory.events", "memory.events.local"}) {
    EXPECT_EQ(parse_control_file(std::string("/c/") + name)->signal, EVICTD_NOTIFY_OOM) << name;
  }
  EXPECT_EQ(parse_control_file("pids.current")->directory, ".");
  EXPECT_EQ(parse_control_file("/memory.current")->directory, "/");
  EXPECT_EQ(parse_control_file("//memory.current")->directory, "/");
  EXPECT_EQ(parse_control_file("/c//a//memory.current")->directory, "/c//a");
}

TEST(ControlWords, ADirectoryStandsForItsUsage) {
  const test::FakeTree tree;
  tree.make_directory("/a");
  const auto directory = parse_control_file(tree.real("/a"));
  ASSERT_TRUE(directory.has_value());
  EXPECT_EQ(directory->directory, tree.real("/a"));
  EXPECT_EQ(directory->signal, EVICTD_NOTIFY_USAGE);
}

TEST(ControlWords, AnotherFileIsInvalidAndAMissingOneMissing) {
  EXPECT_EQ(parse_control_file("/dev/null").error().sys_errno, EINVAL);
  EXPECT_EQ(parse_control_file("/none/cgroup").error().sys_errno, ENOENT);
}

}  // namespace
}  // namespace evictd::notify_client
