// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/fd.h"
#include "evictd/notify.h"
#include "fake_server.h"
#include "support/fake_tree.h"

namespace evictd::test {

using Manner = FakeServer::Manner;

inline constexpr evictd_notify_watch kWatch{.signal = EVICTD_NOTIFY_USAGE,
                                            .unit = EVICTD_NOTIFY_ABSOLUTE,
                                            .direction = EVICTD_NOTIFY_BOTH,
                                            .mode = EVICTD_NOTIFY_DEFAULT,
                                            .threshold = 1 << 20,
                                            .hysteresis = 0,
                                            .reserved = {}};

inline base::Fd make_eventfd() {
  return base::Fd(::eventfd(0, EFD_CLOEXEC));
}

/// Waits for the eventfd and takes what it counted.
inline std::uint64_t take(const base::Fd& eventfd) {
  eventfd_t count = 0;
  EXPECT_EQ(::eventfd_read(eventfd.get(), &count), 0);
  return count;
}

inline bool is_silent(const base::Fd& eventfd) {
  pollfd waited{.fd = eventfd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&waited, 1, /*timeout=*/0) == 0;
}

/// A handle and a server for it, with a directory that stands for a cgroup.
class Notify : public testing::Test {
 protected:
  Notify() {
    tree_.make_directory("/cgroup");
    tree_.write("/cgroup/cgroup.procs", "");
    start();
  }
  void TearDown() override { evictd_notify_close(handle_); }

  void start(FakeServer::Options options = {}) { server_.emplace(socket(), options); }
  void kill_server() { server_.reset(); }
  void open() { ASSERT_EQ(evictd_notify_open(socket().c_str(), 0, &handle_), 0); }
  void close() { evictd_notify_close(std::exchange(handle_, nullptr)); }

  [[nodiscard]] std::string socket() const { return tree_.real("/s"); }
  [[nodiscard]] std::string cgroup() const { return tree_.real("/cgroup"); }
  [[nodiscard]] base::Fd open_cgroup() const {
    return base::Fd(::open(cgroup().c_str(), O_RDONLY | O_CLOEXEC));
  }
  [[nodiscard]] int register_one(const base::Fd& eventfd, std::uint64_t* id = nullptr) const {
    return evictd_notify_register(handle_, cgroup().c_str(), &kWatch, eventfd.get(), id);
  }
  [[nodiscard]] evictd_notify_info info() const {
    evictd_notify_info info{};
    EXPECT_EQ(evictd_notify_get_info(handle_, &info), 0);
    return info;
  }
  [[nodiscard]] evictd_notify_state state(std::uint64_t id) const {
    evictd_notify_state state{};
    EXPECT_EQ(evictd_notify_query(handle_, id, &state), 0);
    return state;
  }

  /// Ends the connection and waits until the client's thread has reached the server again and
  /// registered this eventfd. Until that thread begins, UBSan still has to look at it, and needs
  /// descriptors for that; see FewDescriptors.
  void await_the_client_thread(const base::Fd& eventfd) {
    server_->hang_up();
    EXPECT_EQ(take(eventfd), 1U) << "woken for the gap";
  }

  FakeTree tree_;
  std::optional<FakeServer> server_;
  evictd_notify* handle_ = nullptr;
};

}  // namespace evictd::test
