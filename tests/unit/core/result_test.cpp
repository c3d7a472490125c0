// SPDX-License-Identifier: Apache-2.0
#include "evictd/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace evictd {
namespace {

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

}  // namespace
}  // namespace evictd
