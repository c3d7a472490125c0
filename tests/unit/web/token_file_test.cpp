// SPDX-License-Identifier: Apache-2.0
#include "web/token_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_directory.h"

namespace evictd::web {
namespace {

constexpr const char* kToken = "0123456789abcdef";

class TokenFileTest : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }

  test::TemporaryDirectory directory_;
  std::string path_ = (directory_.path() / "token").string();
};

TEST_F(TokenFileTest, LetsInWhoShowsTheToken) {
  const TokenFile token(write(std::string(kToken) + "\n"));
  EXPECT_TRUE(token.check());
  EXPECT_TRUE(token.allows(std::string("Bearer ") + kToken));
  for (const char* wrong : {"", "Bearer ", "0123456789abcdef", "Bearer 0123456789abcdeF",
                            "Basic 0123456789abcdef", "Bearer 0123456789abcdef0"}) {
    EXPECT_FALSE(token.allows(wrong)) << wrong;
  }
}

TEST_F(TokenFileTest, FollowsAChangeOfTheFile) {
  const TokenFile token(write("an older token, long"));
  write(kToken);
  EXPECT_TRUE(token.allows(std::string("Bearer ") + kToken));
}

TEST_F(TokenFileTest, LetsNobodyInWithoutTheFile) {
  const TokenFile token(path_);
  EXPECT_FALSE(token.check());
  EXPECT_FALSE(token.allows("Bearer "));
}

TEST_F(TokenFileTest, RefusesAShortToken) {
  const TokenFile token(write("short\n"));
  ASSERT_FALSE(token.check());
  EXPECT_EQ(token.check().error().code, Errc::kInvalid);
  EXPECT_FALSE(token.allows("Bearer short"));
}

TEST_F(TokenFileTest, LetsEverybodyInWithoutAPath) {
  EXPECT_TRUE(TokenFile("").check());
  EXPECT_TRUE(TokenFile("").allows(""));
}

}  // namespace
}  // namespace evictd::web
