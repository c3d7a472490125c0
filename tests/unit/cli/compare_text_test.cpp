// SPDX-License-Identifier: Apache-2.0
#include "cli/compare_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace evictd::cli {
namespace {

constexpr const char* kHead =
    R"({"schema":1,"kind":"comparisons","since":"2026-11-20T22:00:00.000000Z","cursor":5})";

std::string side(const std::string& name, const std::string& time, const std::string& rest) {
  return R"({"namespace":"n","name":")" + name + R"(","uid":")" + name + R"(","time":")" + time +
         R"(","resource":"memory",)" + rest + "}";
}

/// evictd chose a at 22:03:11.25 with 200 MiB left.
std::string line_with(const std::string& kubelet, bool is_waiting = false) {
  return R"({"schema":1,"kind":"comparison","evictd":)" +
         side("a", "2026-11-20T22:03:11.25Z",
              R"("time_source":"record","precision_ms":0,"available":209715200,"usage":52428800)") +
         R"(,"kubelet":)" + kubelet + R"(,"waiting":)" + (is_waiting ? "true" : "false") + "}";
}

std::string kubelet_side(const std::string& name) {
  return side(
      name, "2026-11-20T22:03:19Z",
      R"("time_source":"condition","precision_ms":1000,"available":104857600,"usage":null)");
}

std::string printed(const std::string& lines) {
  const Result<std::vector<exporting::Comparison>> read = read_comparison_lines(lines, "FILE");
  if (!read) {
    return read.error().message();
  }
  std::ostringstream out;
  print_comparisons(*read, out);
  return out.str();
}

TEST(CompareText, ARowSaysWhoWasEarlierAndHowMuchMoreWasLeft) {
  EXPECT_EQ(printed(std::string(kHead) + "\n" + line_with(kubelet_side("a")) + "\n"),
            "WHEN (UTC)           EVICTD WOULD HAVE EVICTED  THE KUBELET EVICTED  EARLIER          "
            "MORE LEFT  USED\n"
            "2026-11-20T22:03:11  n/a                        the same             evictd by 7.8 s  "
            "100.0Mi    50.0Mi / -\n"
            "the same pod 1, another pod 0, only evictd 0, only the kubelet 0, waiting 0\n"
            "earlier: evictd 1, the kubelet 0, within the same second 0; evictd was earlier by 7.8 "
            "s (median)\n");
}

TEST(CompareText, NamesAnotherPodAndWhoIsMissing) {
  const std::string text = printed(line_with(kubelet_side("b")) + "\n" + line_with("null") + "\n" +
                                   line_with("null", true) + "\n");
  EXPECT_NE(text.find("n/a                        n/b"), std::string::npos) << text;
  EXPECT_NE(text.find("nobody"), std::string::npos) << text;
  EXPECT_NE(text.find("(waiting)"), std::string::npos) << text;
  EXPECT_NE(text.find("another pod 1, only evictd 1, only the kubelet 0, waiting 1"),
            std::string::npos)
      << text;
}

TEST(CompareText, OfNobodySaysSo) {
  EXPECT_EQ(printed(std::string(kHead) + "\n"), "no pod was evicted yet\n");
}

TEST(CompareText, ALineThatIsNoComparisonIsNamed) {
  EXPECT_NE(printed(std::string(kHead) + "\n" + R"({"schema":1,"kind":"decision"})" + "\n")
                .find("FILE:2: kind: no comparison"),
            std::string::npos);
  EXPECT_NE(printed("nonsense\n").find("FILE:1: "), std::string::npos);
}

TEST(CompareText, AnAnswerIsReadOrItsRefusalTold) {
  EXPECT_EQ(read_comparison_answer(R"({"schema":1,"comparisons":[)" + line_with("null") + "]}")
                .value()
                .size(),
            1U);
  EXPECT_EQ(read_comparison_answer(R"({"error":"nothing is compared"})").error().context,
            "evictd-kube: nothing is compared");
  EXPECT_FALSE(read_comparison_answer("{}"));
}

}  // namespace
}  // namespace evictd::cli
