// SPDX-License-Identifier: Apache-2.0
#include "daemon/notify/notify_worker.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <nlohmann/json.hpp>

#include "base/system_clock.h"
#include "base/unix_socket.h"
#include "daemon/control/status_notify.h"
#include "support/fake_tree.h"

namespace evictd::daemon {
namespace {

/// Needs neither root nor a kernel side.
NotifyWorkerOptions polling_at(const std::filesystem::path& socket) {
  return {.socket = socket, .hook = "none", .descriptors = 1024, .no_hook_because = ""};
}

/// Says hello and waits for the answer; 0 or its error, -1 without an answer.
int greet(const base::Fd& connection) {
  const evictd_notify_hello hello{
      .header = {.magic = EVICTD_NOTIFY_MAGIC, .type = EVICTD_NOTIFY_HELLO, .request_id = 1},
      .version = EVICTD_NOTIFY_VERSION,
      .flags = 0};
  EXPECT_EQ(::send(connection.get(), &hello, sizeof(hello), MSG_NOSIGNAL),
            static_cast<ssize_t>(sizeof(hello)));
  constexpr int kPatienceMs = 60'000;  // only a failing test waits that long
  pollfd ready{.fd = connection.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&ready, 1, kPatienceMs), 1);
  evictd_notify_hello_reply reply{};
  const bool answered = ::recv(connection.get(), &reply, sizeof(reply), 0) == sizeof(reply);
  return answered ? reply.error : -1;
}

/// Asks until the thread answers in time, however busy the machine is.
NotifyReport fresh_report(NotifyWorker& worker) {
  NotifyReport report = worker.report();
  while (report.stale) {
    report = worker.report();
  }
  return report;
}

TEST(NotifyWorker, ServesOnItsOwnThreadAndReportsIt) {
  const base::SystemClock clock;
  const test::FakeTree directory;
  const std::filesystem::path socket = directory.real("/notify");
  const std::unique_ptr<NotifyWorker> worker = NotifyWorker::start(polling_at(socket), clock);
  const Result<base::Fd> connection = base::connect_unix_packets(socket);
  ASSERT_TRUE(connection) << connection.error().message();
  ASSERT_EQ(greet(*connection), 0);

  const NotifyReport report = fresh_report(*worker);
  EXPECT_TRUE(report.serving);
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.socket, socket.string());
  EXPECT_TRUE(report.polling);
  EXPECT_NE(report.polls_because.find("none is pinned"), std::string::npos) << report.polls_because;
  EXPECT_EQ(report.service.connections, 1U);
  EXPECT_EQ(worker->take_problem(), std::nullopt);
}

TEST(NotifyWorker, TellsWhoWantsFilesToBeRead) {
  const base::SystemClock clock;
  const test::FakeTree directory;
  NotifyWorkerOptions options = polling_at(directory.real("/notify"));
  options.no_hook_because = "eventSource is poll";
  const std::unique_ptr<NotifyWorker> worker = NotifyWorker::start(options, clock);
  const NotifyReport report = fresh_report(*worker);
  EXPECT_TRUE(report.polling);
  EXPECT_EQ(report.polls_because, "eventSource is poll");
}

TEST(NotifyWorker, TakesItsSocketAwayAtTheEnd) {
  const base::SystemClock clock;
  const test::FakeTree directory;
  const std::filesystem::path socket = directory.real("/notify");
  std::unique_ptr<NotifyWorker> worker = NotifyWorker::start(polling_at(socket), clock);
  ASSERT_TRUE(std::filesystem::exists(socket));
  worker.reset();
  EXPECT_FALSE(std::filesystem::exists(socket));
}

TEST(NotifyWorker, WhatKeepsItFromServingIsCountedAndToldOnce) {
  const base::SystemClock clock;
  const test::FakeTree directory;
  const std::filesystem::path socket = directory.real("/missing/notify");
  const std::unique_ptr<NotifyWorker> worker = NotifyWorker::start(polling_at(socket), clock);
  for (int i = 0; i < 2; ++i) {
    const NotifyReport report = worker->report();
    EXPECT_FALSE(report.serving);
    EXPECT_FALSE(report.stale);
    EXPECT_EQ(report.failures, 1U);
    EXPECT_NE(report.problem.find("/missing/notify"), std::string::npos) << report.problem;
  }
  EXPECT_EQ(worker->take_problem(), worker->report().problem);
  EXPECT_EQ(worker->take_problem(), std::nullopt);
}

TEST(NotifyWorker, LeavesASocketToWhoeverListensThere) {
  const base::SystemClock clock;
  const test::FakeTree directory;
  const std::filesystem::path socket = directory.real("/notify");
  const std::unique_ptr<NotifyWorker> first = NotifyWorker::start(polling_at(socket), clock);
  const std::unique_ptr<NotifyWorker> second = NotifyWorker::start(polling_at(socket), clock);
  EXPECT_TRUE(first->report().serving);
  EXPECT_NE(second->report().problem.find("another process listens"), std::string::npos)
      << second->report().problem;
}

TEST(NotifyWorker, ItsClientsTakeUpNoMoreThanItsShareOfDescriptors) {
  for (const std::uint64_t descriptors : {128U, 1024U, 8192U}) {
    const notify::ServiceOptions limits = service_options_of(
        {.socket = "/s", .hook = "", .descriptors = descriptors, .no_hook_because = ""});
    EXPECT_LE(std::uint64_t{2} * (limits.root.registrations + limits.max_registrations) +
                  limits.root.connections + limits.max_connections + limits.root.oom_files +
                  limits.max_oom_files,
              descriptors);
    EXPECT_LE(limits.user.oom_files, limits.max_oom_files / 2);
    EXPECT_GE(limits.user.oom_files, 1U);
    EXPECT_LE(limits.user.registrations, limits.max_registrations / 2);
    EXPECT_LE(limits.user.connections, limits.max_connections / 2);
    EXPECT_GE(limits.user.registrations, 1U);
    EXPECT_GE(limits.user.connections, 1U);
  }
}

TEST(StatusNotify, HasEveryCounter) {
  NotifyReport report;
  report.socket = "/run/evictd/notify.sock";
  report.serving = true;
  report.backend = "tp_btf/mod_memcg_state";
  report.service = {.connections = 1,
                    .refused = 2,
                    .expelled = 3,
                    .held_back = 10,
                    .unclosed = 11,
                    .put_off = 12};
  report.engine = {.registrations = 4,
                   .deliveries = 5,
                   .owed = 13,
                   .closed = 6,
                   .removed = 7,
                   .backend = {.resyncs = 8, .dropped = 9, .lost_hints = 14}};
  report.by_signal.at(EVICTD_NOTIFY_USAGE) = 1;
  report.by_signal.at(EVICTD_NOTIFY_PIDS) = 3;
  report.limits.user = {.connections = 10, .registrations = 11, .oom_files = 12};
  report.limits.max_oom_files = 13;
  const nlohmann::ordered_json json = notify_json(report);
  EXPECT_EQ(json["socket"], "/run/evictd/notify.sock");
  EXPECT_EQ(json["backend"], "kernel");
  EXPECT_EQ(json["watches_by"], "tp_btf/mod_memcg_state");
  EXPECT_EQ(json["registrations_by_signal"]["usage"], 1);
  EXPECT_EQ(json["registrations_by_signal"]["pids"], 3);
  EXPECT_EQ(json["registrations_by_signal"]["oom"], 0);
  EXPECT_EQ(json["limits"]["user"]["registrations"], 11);
  EXPECT_EQ(json["limits"]["user"]["oom_files"], 12);
  EXPECT_EQ(json["limits"]["all_but_root"]["oom_files"], 13);
  int expected = 1;
  for (const char* key :
       {"connections", "refused", "expelled", "registrations", "deliveries", "closed", "removed",
        "resyncs", "lost", "held_back", "unclosed", "put_off", "owed", "lost_hints"}) {
    EXPECT_EQ(json[key], expected) << key;
    ++expected;
  }
}

TEST(StatusNotify, NoBackendIsNull) {
  NotifyReport report;
  report.problem = "no asynchronous I/O";
  const nlohmann::ordered_json json = notify_json(report);
  EXPECT_TRUE(json["backend"].is_null());
  EXPECT_EQ(json["serving"], false);
  EXPECT_EQ(json["problem"], "no asynchronous I/O");
}

}  // namespace
}  // namespace evictd::daemon
