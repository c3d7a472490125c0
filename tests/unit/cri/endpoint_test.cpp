// SPDX-License-Identifier: Apache-2.0
#include "cri/endpoint.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/unix_socket.h"
#include "support/temporary_directory.h"

namespace evictd::cri {
namespace {

TEST(Endpoint, IsAPathOrAnAddressOfAUnixSocket) {
  EXPECT_EQ(socket_path("/run/x.sock"), "/run/x.sock");
  EXPECT_EQ(socket_path("unix:///run/x.sock"), "/run/x.sock");
  for (const std::string& other :
       {std::string("tcp://h:1"), std::string("x.sock"), std::string("unix://x"), std::string(),
        "/" + std::string(107, 'x')}) {
    EXPECT_EQ(socket_path(other), std::nullopt) << other;
  }
}

TEST(Endpoint, AutoIsTheFirstUsualSocketThatIsThere) {
  const evictd::test::TemporaryDirectory root;
  const std::string prefix = root.path().string() + "/";
  EXPECT_EQ(find_socket("auto", prefix), prefix + "run/containerd/containerd.sock");
  std::filesystem::create_directories(root.path() / "run/crio");
  const auto listens = base::listen_unix(root.path() / "run/crio/crio.sock", 0600);
  ASSERT_TRUE(listens);
  EXPECT_EQ(find_socket("auto", prefix), prefix + "run/crio/crio.sock");
  EXPECT_EQ(find_socket("unix:///run/y", prefix), "/run/y");
}

}  // namespace
}  // namespace evictd::cri
