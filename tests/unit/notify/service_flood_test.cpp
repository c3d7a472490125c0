// SPDX-License-Identifier: Apache-2.0
// A user whose requests take too much time, beside one whose do not.
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "one_thread_service.h"

namespace evictd::notify {
namespace {

using test::request_header;

constexpr uid_t kFloodingUser = 1000;

class ServiceBesideAFlood : public test::OneThreadService {
 protected:
  explicit ServiceBesideAFlood(MonoTime begin = test::kHandBegin) : OneThreadService(begin) {}
  void SetUp() override {
    OneThreadService::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    std::filesystem::permissions(directory_.path(),
                                 // Its group is still root's.
                                 std::filesystem::perms::group_exec,
                                 std::filesystem::perm_options::add);
    other_ = std::move(client_);
    ASSERT_NO_FATAL_FAILURE(connect_flooding());
    ASSERT_EQ(greet(), 0);
    ASSERT_NO_FATAL_FAILURE(use_up());
  }
  /// A client of the user who floods in the place of the one before.
  void connect_flooding() {
    const uid_t before = ::geteuid();
    ASSERT_EQ(::seteuid(kFloodingUser), 0);
    auto client = base::connect_unix_packets(options_.path);
    ASSERT_EQ(::seteuid(before), 0);
    ASSERT_TRUE(client) << client.error().message();
    client_ = std::move(*client);
  }
  std::int32_t greet() {
    return ask<evictd_notify_hello_reply>(
               evictd_notify_hello{
                   .header = request_header(EVICTD_NOTIFY_HELLO), .version = 1, .flags = 0})
        .error;
  }
  void send_status() { send(evictd_notify_status{.header = request_header(EVICTD_NOTIFY_STATUS)}); }
  std::int32_t status() {
    send_status();
    return answer<evictd_notify_status_reply>().error;
  }
  /// Has the flooding user ask until its requests are left in its socket.
  void use_up() {
    constexpr int kFar = 100;
    for (int i = 0; i < kFar; ++i) {
      // The first is that of the turn that takes the request.
      clock_.costs = {RequestBudget::kMostSaved};
      send_status();
      ASSERT_TRUE(loop_->run_once());
      if (service_->counters().put_off != 0) {
        clock_.costs.clear();
        return;
      }
      ASSERT_EQ(answer<evictd_notify_status_reply>().error, 0);
    }
    FAIL() << "it goes on for ever";
  }
  [[nodiscard]] bool has_answer() const {
    pollfd answered{.fd = client_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&answered, 1, 0) != 0;
  }
  void run_all_that_is_ready() {
    while (loop_->run_once(Duration{0}).value_or(0) != 0) {
    }
  }

  /// Another user's.
  base::Fd other_;
};

TEST_F(ServiceBesideAFlood, AnswersAnotherUserAndLeavesTheFloodInItsSocket) {
  std::swap(client_, other_);
  EXPECT_EQ(status(), 0);
  std::swap(client_, other_);
  send_status();
  run_all_that_is_ready();
  EXPECT_FALSE(has_answer());
}

TEST_F(ServiceBesideAFlood, SleepsAlthoughTheFloodGoesOn) {
  send_status();
  run_all_that_is_ready();
  const auto ran = loop_->run_once(Duration{0});
  ASSERT_TRUE(ran);
  EXPECT_EQ(*ran, 0);
}

TEST_F(ServiceBesideAFlood, LeavesEverySocketOfThatUserUnread) {
  const base::Fd first = std::move(client_);
  ASSERT_NO_FATAL_FAILURE(connect_flooding());
  send(
      evictd_notify_hello{.header = request_header(EVICTD_NOTIFY_HELLO), .version = 1, .flags = 0});
  run_all_that_is_ready();
  EXPECT_FALSE(has_answer());
  EXPECT_EQ(service_->counters().put_off, 2U);
}

TEST_F(ServiceBesideAFlood, EndsWithSocketsThatItLeavesUnread) {
  send_status();
  service_.reset();
  pollfd gone{.fd = client_.get(), .events = 0, .revents = 0};
  EXPECT_EQ(::poll(&gone, 1, 0), 1) << "it is hung up";
}

/// All timers have fired, so each pause is over at once.
class ServiceAfterAFlood : public ServiceBesideAFlood {
 protected:
  ServiceAfterAFlood() : ServiceBesideAFlood(MonoTime{std::chrono::seconds(1)}) {}
};

TEST_F(ServiceAfterAFlood, AnswersWhatWasLeftInTheSocketOnceThatIsPaidFor) {
  clock_.advance(std::chrono::seconds(2));
  EXPECT_EQ(answer<evictd_notify_status_reply>().error, 0);
  EXPECT_EQ(status(), 0);
}

TEST_F(ServiceAfterAFlood, SeesAClientGoThatItHadLeftUnread) {
  client_.reset();
  clock_.advance(std::chrono::seconds(2));
  while (service_->counters().connections != 1) {
    ASSERT_TRUE(loop_->run_once());
  }
}

class ServiceThatManyConnectTo : public test::OneThreadService {};

TEST_F(ServiceThatManyConnectTo, AnswersWhoIsConnectedAndLetsNobodyInForAWhile) {
  base::Fd connected = std::move(client_);
  clock_.costs = {RequestBudget::kMostSavedToConnect};
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_TRUE(loop_->run_once());
  ASSERT_EQ(service_->counters().put_off, 0U);
  ASSERT_NO_FATAL_FAILURE(connect());
  ASSERT_TRUE(loop_->run_once());
  EXPECT_EQ(service_->counters().put_off, 1U);
  client_ = std::move(connected);
  EXPECT_EQ(ask<evictd_notify_status_reply>(
                evictd_notify_status{.header = request_header(EVICTD_NOTIFY_STATUS)})
                .error,
            0);
}

}  // namespace
}  // namespace evictd::notify
