// SPDX-License-Identifier: Apache-2.0
#include "sys/kernel_text.h"

#include <gtest/gtest.h>

namespace evictd::sys {
namespace {

TEST(ParseSingleNumber, ReadsANumberWithItsLineEnd) {
  EXPECT_EQ(parse_single_number("1048576\n"), 1048576);
  EXPECT_EQ(parse_single_number("0"), 0);
}

TEST(ParseSingleNumber, ReadsBothWritingsOfNoLimit) {
  EXPECT_EQ(parse_single_number("max\n"), kNoLimit);
  EXPECT_EQ(parse_single_number("9223372036854771712\n"), kNoLimit);
}

TEST(ParseSingleNumber, RefusesWhatIsNoNumber) {
  for (const char* text :
       {"", "\n", "12 13\n", "0x10", "maximum", "1.5", "-1", "99999999999999999999"}) {
    EXPECT_EQ(parse_single_number(text), std::nullopt) << text;
  }
}

TEST(FindStat, TakesTheWholeKeyOnly) {
  constexpr std::string_view kStat = "inactive_file 1\ntotal_inactive_file 4096\nanon 7\n";
  EXPECT_EQ(find_stat(kStat, "inactive_file"), 1);
  EXPECT_EQ(find_stat(kStat, "total_inactive_file"), 4096);
  EXPECT_EQ(find_stat(kStat, "anon"), 7);
  EXPECT_EQ(find_stat(kStat, "ano"), std::nullopt);
  EXPECT_EQ(find_stat(kStat, "file"), std::nullopt);
}

TEST(FindStat, RefusesAValueThatIsNoNumber) {
  EXPECT_EQ(find_stat("populated yes\n", "populated"), std::nullopt);
  EXPECT_EQ(find_stat("populated \n", "populated"), std::nullopt);
}

TEST(FindMeminfo, ReadsKilobytesAsBytes) {
  constexpr std::string_view kMeminfo =
      "MemTotal:       24684084 kB\nMemFree:        24212428 kB\nInactive:         191708 kB\n"
      "Inactive(file):   182480 kB\nHugePages_Total:       0\n";
  EXPECT_EQ(find_meminfo(kMeminfo, "MemTotal"), Bytes{24684084LL * 1024});
  EXPECT_EQ(find_meminfo(kMeminfo, "Inactive"), Bytes{191708LL * 1024});
  EXPECT_EQ(find_meminfo(kMeminfo, "Inactive(file)"), Bytes{182480LL * 1024});
  EXPECT_EQ(find_meminfo(kMeminfo, "HugePages_Total"), std::nullopt) << "a count, not kilobytes";
  EXPECT_EQ(find_meminfo(kMeminfo, "Cached"), std::nullopt);
}

TEST(ParseLoadavgTasks, TakesTheTasksThatExist) {
  EXPECT_EQ(parse_loadavg_tasks("0.08 0.03 0.01 3/94 6780\n"), 94);
  EXPECT_EQ(parse_loadavg_tasks("0.08 0.03 0.01\n"), std::nullopt);
  EXPECT_EQ(parse_loadavg_tasks("0.08 0.03 0.01 3 6780\n"), std::nullopt);
  EXPECT_EQ(parse_loadavg_tasks("0.08 0.03 0.01 3/-94 6780\n"), std::nullopt);
  EXPECT_EQ(parse_loadavg_tasks(""), std::nullopt);
  EXPECT_EQ(parse_loadavg_tasks("0.08 0.03 0.01 3/-94 6780\n"), std::nullopt);
}

}  // namespace
}  // namespace evictd::sys
