// SPDX-License-Identifier: Apache-2.0
#include "cli/listener.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fake_server.h"
#include "support/fake_tree.h"

namespace evictd::cli {
namespace {

using test::FakeServer;

/// What one run of a listener came to.
struct Heard {
  Result<> result;
  std::string output;
  std::string errors;
};

/// A server, and a directory that stands for a cgroup.
class Listening : public testing::Test {
 protected:
  Listening() {
    tree_.make_directory("/cgroup");
    tree_.write("/cgroup/cgroup.procs", "");
    server_.emplace(tree_.real("/s").string());
  }

  /// Ends with its first line, so that no test waits for ever for what should have ended.
  [[nodiscard]] Result<Listener> listen(std::vector<std::string> arguments) const {
    ListenOptions options;
    options.path = tree_.real("/cgroup").string();
    options.arguments = std::move(arguments);
    options.socket = tree_.real("/s").string();
    options.count = 1;
    return Listener::create(options);
  }
  static Heard run(Listener& listener) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Result<> result = listener.run();
    return {.result = std::move(result),
            .output = testing::internal::GetCapturedStdout(),
            .errors = testing::internal::GetCapturedStderr()};
  }
  void restart_and_refuse(int error) {
    server_.reset();
    const FakeServer::Options refusing{
        .manner = FakeServer::Manner::kForgetful, .refusal = error, .instance = 2};
    server_.emplace(tree_.real("/s").string(), refusing);
  }

  test::FakeTree tree_;
  std::optional<FakeServer> server_;
};

TEST_F(Listening, EndsWhenItsControllerIsTakenAway) {
  Result<Listener> listener = listen({"1M"});
  ASSERT_TRUE(listener.has_value());
  server_->take_away(1);
  const Heard heard = run(*listener);
  EXPECT_TRUE(heard.result.has_value());
  EXPECT_EQ(heard.output, "");
  EXPECT_NE(heard.errors.find("1M: its controller was disabled in the cgroup"), std::string::npos)
      << heard.errors;
}

TEST_F(Listening, GoesOnWithTheRegistrationsThatAreLeft) {
  Result<Listener> listener = listen({"1M", "2M"});
  ASSERT_TRUE(listener.has_value());
  server_->take_away(1);
  server_->fire();
  const Heard heard = run(*listener);
  EXPECT_TRUE(heard.result.has_value());
  EXPECT_EQ(heard.output, tree_.real("/cgroup").string() + " 2M: crossed\n");
}

TEST_F(Listening, FailsWhenEvictdRefusesEverythingAfterARestart) {
  Result<Listener> listener = listen({"1M", "2M"});
  ASSERT_TRUE(listener.has_value());
  restart_and_refuse(EACCES);
  const Heard heard = run(*listener);
  ASSERT_FALSE(heard.result.has_value());
  EXPECT_EQ(heard.result.error().sys_errno, EACCES);
  EXPECT_EQ(heard.output, "");
  EXPECT_NE(heard.errors.find("Can no longer listen to"), std::string::npos) << heard.errors;
}

TEST_F(Listening, GoesOnWhenEvictdIsShortOfSomethingAfterARestart) {
  Result<Listener> listener = listen({"1M"});
  ASSERT_TRUE(listener.has_value());
  restart_and_refuse(ENOSPC);
  const Heard heard = run(*listener);
  EXPECT_TRUE(heard.result.has_value());
  EXPECT_EQ(heard.output, tree_.real("/cgroup").string() + " 1M: crossed\n");
}

}  // namespace
}  // namespace evictd::cli
