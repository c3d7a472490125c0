// SPDX-License-Identifier: Apache-2.0
// An evictd that evicts, and serves notifications beside it.
#include <poll.h>
#include <sys/eventfd.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "arena.h"
#include "base/fd.h"
#include "evictd/notify.h"
#include "must.h"

namespace evictd::daemon::test {
namespace {

struct CloseHandle {
  void operator()(evictd_notify* handle) const { ::evictd_notify_close(handle); }
};
using Handle = std::unique_ptr<evictd_notify, CloseHandle>;

class Notifications : public ArenaBySource {
 protected:
  [[nodiscard]] std::string socket() const { return scratch_->path() / "registrations.sock"; }
  [[nodiscard]] Json serving_config() const {
    Json config = memory_config(GetParam());
    config["notifySocket"] = socket();
    return config;
  }
  [[nodiscard]] Handle connect() const {
    evictd_notify* handle = nullptr;
    const int error = ::evictd_notify_open(socket().c_str(), 0, &handle);
    EXPECT_EQ(error, 0);
    return Handle(handle);
  }
  /// Of the pod root's usage, in bytes from now on.
  [[nodiscard]] int listen(evictd_notify* handle, std::int64_t distance) const {
    evictd_notify_watch watch{};
    watch.signal = EVICTD_NOTIFY_USAGE;
    watch.threshold = static_cast<std::uint64_t>(must(tree_->usage()).value + distance);
    return ::evictd_notify_register(handle, tree_->memory_directory().c_str(), &watch,
                                    eventfd_.get(), nullptr);
  }
  [[nodiscard]] bool is_told() const {
    pollfd ready{.fd = eventfd_.get(), .events = POLLIN, .revents = 0};
    const auto limit = std::chrono::milliseconds(kPatience).count();
    return ::poll(&ready, 1, static_cast<int>(limit)) == 1;
  }
  void expect_eviction(Actor& hog) {
    hog.load.go();
    const auto end = hog.await_end();
    ASSERT_TRUE(end);
    EXPECT_TRUE(end->killed_by(SIGKILL)) << end->text();
    await_record(hog);
  }

  base::Fd eventfd_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
};
INSTANTIATE_TEST_SUITE_P(BySource, Notifications,
                         testing::Values(Source::kEvents, Source::kPolling), name_of);

TEST_P(Notifications, AreServedWhileAPodIsEvicted) {
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  start_daemon(serving_config());
  const Handle handle = connect();
  ASSERT_TRUE(handle);
  ASSERT_EQ(listen(handle.get(), kModest / 2), 0);

  const Actor& small = add({.name = "small"}, kModest);
  EXPECT_TRUE(is_told());
  expect_eviction(hog);
  EXPECT_TRUE(small.alive());

  const Json notify = await_status([](const Json& now) {
    return now["notify"]["deliveries"] > 0 && now["notify"]["stale"] == false;
  })["notify"];
  EXPECT_EQ(notify["socket"], socket());
  EXPECT_EQ(notify["serving"], true);
  EXPECT_EQ(notify["backend"], GetParam() == Source::kEvents ? "kernel" : "polling") << notify;
  EXPECT_EQ(notify["polls_because"], GetParam() == Source::kEvents ? "" : "eventSource is poll");
  if (GetParam() == Source::kPolling) {
    EXPECT_EQ(notify["no_pressure_because"].get<std::string>().find("can be loaded"),
              std::string::npos)
        << "nobody tried to load anything: " << notify;
  }
  EXPECT_EQ(notify["connections"], 1);
  EXPECT_EQ(notify["registrations"], 1);
  EXPECT_EQ(notify["registrations_by_signal"]["usage"], 1);
  EXPECT_EQ(notify["refused"], 0);
  EXPECT_EQ(lines_with(log(), "serving notifications"), 1U) << log();
}

TEST_P(Notifications, ThatCannotBeServedAreToldOfOnceAndEvictionsGoOn) {
  Actor& hog = add_hog({.name = "hog"});
  limit_memory();
  Json config = serving_config();
  config["notifySocket"] = (scratch_->path() / "missing/notify.sock").string();
  start_daemon(config);

  const Json notify = await_status([this](const Json&) {
    return lines_with(log(), "continuing without notifications") != 0;
  })["notify"];
  EXPECT_EQ(notify["serving"], false);
  EXPECT_EQ(notify["failures"], 1);
  EXPECT_NE(notify["problem"].get<std::string>().find("missing/notify.sock"), std::string::npos)
      << notify;
  expect_eviction(hog);
  EXPECT_EQ(lines_with(log(), "continuing without notifications"), 1U) << log();
  const ProgramEnd told =
      run_to_end(scratch_->path(),
                 {EVICTCTL, "status", "--socket", (scratch_->path() / "control.sock").string()});
  EXPECT_EQ(lines_with(told.output, "problem: no notifications on "), 1U) << told.output;
}

TEST_P(Notifications, KeepTheirSocketUntilARestart) {
  limit_memory();
  Json config = serving_config();
  start_daemon(config);
  config["notifySocket"] = (scratch_->path() / "other.sock").string();
  reload(config.dump(2));
  EXPECT_EQ(lines_with(log(), "other.sock\": a change needs a restart"), 1U) << log();
  EXPECT_TRUE(connect());
  EXPECT_FALSE(std::filesystem::exists(scratch_->path() / "other.sock"));
}

TEST_P(Notifications, AreNotServedUnlessTheyAreAskedFor) {
  limit_memory();
  start_daemon(memory_config(GetParam()));
  EXPECT_TRUE(status()["notify"].is_null());
}

}  // namespace
}  // namespace evictd::daemon::test
