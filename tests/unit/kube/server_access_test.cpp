// SPDX-License-Identifier: Apache-2.0
#include "kube/server_access.h"

#include <gtest/gtest.h>

#include <fstream>

#include "support/temporary_directory.h"

namespace evictd::kube {
namespace {

class CredentialsTest : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    const std::filesystem::path path = directory_.path() / name;
    std::ofstream(path) << text;
    return path.string();
  }
  evictd::test::TemporaryDirectory directory_;
};

TEST_F(CredentialsTest, AreReadAnewEachTime) {
  ServerAccess access{.url = "https://h"};
  access.token_file = file("token", "one\n");
  EXPECT_EQ(read_credentials(access)->token, "one");
  file("token", "two");
  EXPECT_EQ(read_credentials(access)->token, "two");
}

TEST_F(CredentialsTest, ATokenThatIsNoneIsRefused) {
  ServerAccess access{.url = "https://h"};
  for (const std::string& text :
       {std::string(), std::string("a\r\nHost: evil"), std::string("a b"), std::string("\x80")}) {
    access.token_file = file("token", text);
    const auto read = read_credentials(access);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().message().find("evil"), std::string::npos);
  }
}

TEST_F(CredentialsTest, NothingSecretGoesToAPlainServer) {
  ServerAccess access{.url = "http://h"};
  EXPECT_TRUE(read_credentials(access));
  access.token = "secret";
  EXPECT_FALSE(read_credentials(access));
}

TEST_F(CredentialsTest, ACertificateHasItsKey) {
  ServerAccess access{.url = "https://h"};
  access.certificate_data = "certificate";
  EXPECT_FALSE(read_credentials(access));
  access.key_file = file("key", "key");
  EXPECT_TRUE(read_credentials(access));
  access.key_file += ".gone";
  EXPECT_EQ(read_credentials(access).error().code, Errc::kNotFound);
}

TEST(ServerUrl, HasASchemeAndAHost) {
  for (const char* const good : {"https://h", "http://127.0.0.1:10255", "https://[::1]:6443"}) {
    EXPECT_EQ(url_problem(good), "") << good;
  }
  for (const char* const bad : {"", "h", "https://", "file:///etc/passwd", "https://h/path",
                                "https://user@h", "https://h?x", "https://h\n"}) {
    EXPECT_NE(url_problem(bad), "") << bad;
  }
}

}  // namespace
}  // namespace evictd::kube
