// SPDX-License-Identifier: Apache-2.0
#include "evictd/result.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>

#include "evictd/try.h"

namespace evictd {
namespace {

Result<std::unique_ptr<int>> parse(const std::string& text) {
  if (text.empty()) {
    return fail(Errc::kMalformed, "no number");
  }
  return std::make_unique<int>(std::stoi(text));
}

Result<int> parse_line(const std::string& text, int line) {
  EVICTD_ASSIGN_OR_RETURN(const std::unique_ptr<int> number,
                          EVICTD_IN("line " + std::to_string(line), parse(text)));
  return *number;
}

TEST(Result, AMissingFileIsNotFoundAndKeepsItsErrno) {
  const Result<> result = fail_errno(ENOENT, "read memory.current of kubepods/pod12");
  EXPECT_EQ(result.error().code, Errc::kNotFound);
  EXPECT_EQ(result.error().sys_errno, ENOENT);
  EXPECT_EQ(result.error().message(),
            "read memory.current of kubepods/pod12: No such file or directory");
}

TEST(Result, EachLayerPutsWhatItDidInFront) {
  const Result<> inner = fail(Errc::kMalformed, "line 3 is no number");
  const Result<> outer = fail_in("load config", inner.error());
  EXPECT_EQ(outer.error().code, Errc::kMalformed);
  EXPECT_EQ(outer.error().message(), "load config: line 3 is no number");
}

TEST(Result, OnlyAFailureGetsTheLayerOfItsCaller) {
  EXPECT_EQ(parse_line("7", 3).value(), 7);
  const Result<int> failed = parse_line("", 3);
  EXPECT_EQ(failed.error().code, Errc::kMalformed);
  EXPECT_EQ(failed.error().message(), "line 3: no number");
}

}  // namespace
}  // namespace evictd
