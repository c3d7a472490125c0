// SPDX-License-Identifier: Apache-2.0
// What becomes of the descriptors of a client whose files nobody may close in passing.
#include <sys/eventfd.h>

#include <cerrno>

#include "lingering_end.h"
#include "one_thread_service.h"

namespace evictd::notify {
namespace {

using test::request_header;

/// The client has passed a file whose end is waited for, so whatever of it is closed aside is not
/// closed yet and can be counted; what is closed in passing is not counted.
class ServiceBesideAHangingClient : public test::OneThreadService {
 protected:
  ServiceBesideAHangingClient() {
    options_.user.registrations = 2;
    options_.root.registrations = 2;
  }
  void SetUp() override {
    OneThreadService::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    std::vector<base::Fd> hanging = end_.take();
    send(wish_to_add(), {hanging[0].get(), directory_of_cgroup_.get()});
    hanging.clear();  // Before the service closes it: the last close() is the one that waits.
    ASSERT_EQ(answer<evictd_notify_register_reply>().error, EBADF);
  }
  static evictd_notify_register_request wish_to_add() {
    evictd_notify_register_request wish{};
    wish.header = request_header(EVICTD_NOTIFY_REGISTER);
    wish.threshold = 4096;
    wish.eventfd = -1;
    return wish;
  }
  evictd_notify_register_reply add(const std::vector<int>& descriptors) {
    return ask<evictd_notify_register_reply>(wish_to_add(), descriptors);
  }
  evictd_notify_register_reply add_eventfd() {
    const base::Fd eventfd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    return add({eventfd.get(), directory_of_cgroup_.get()});
  }
  void remove(std::uint64_t registration) {
    evictd_notify_unregister_request wish{};
    wish.header = request_header(EVICTD_NOTIFY_UNREGISTER);
    wish.registration = registration;
    EXPECT_EQ(ask<evictd_notify_unregister_reply>(wish).error, 0);
  }
  /// A request that carries a descriptor, which it must not: the end of the connection.
  void send_wrong() {
    const base::Fd eventfd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    send(evictd_notify_status{.header = request_header(EVICTD_NOTIFY_STATUS)}, {eventfd.get()});
  }
  void send_empty() { EXPECT_EQ(::send(client_.get(), nullptr, 0, MSG_NOSIGNAL), 0); }
  evictd_notify_status_reply status() {
    return ask<evictd_notify_status_reply>(
        evictd_notify_status{.header = request_header(EVICTD_NOTIFY_STATUS)});
  }
  void run_until_nobody_is_connected() {
    while (service_->counters().connections != 0) {
      ASSERT_TRUE(loop_->run_once());
    }
  }
  /// Beside the one that hangs.
  [[nodiscard]] std::size_t unclosed() const { return service_->counters().unclosed - 1; }

  test::LingeringEnd end_;
  base::Fd directory_of_cgroup_ = test::any_cgroup();
};

TEST_F(ServiceBesideAHangingClient, ClosesTheEventfdOfAnEndedRegistrationAside) {
  const evictd_notify_register_reply added = add_eventfd();
  ASSERT_EQ(added.error, 0);
  ASSERT_EQ(unclosed(), 0U);
  remove(added.registration);
  EXPECT_EQ(unclosed(), 1U);
}

TEST_F(ServiceBesideAHangingClient, ClosesTheEventfdsOfAClientThatHasGoneAside) {
  ASSERT_EQ(add_eventfd().error, 0);
  ASSERT_EQ(add_eventfd().error, 0);
  client_.reset();
  run_until_nobody_is_connected();
  EXPECT_EQ(unclosed(), 2U) << "and its socket at once, because nothing is in it";
}

TEST_F(ServiceBesideAHangingClient, ClosesTheEventfdOfARefusedRequestAside) {
  backend_->refuses_with = ENOSPC;
  ASSERT_EQ(add_eventfd().error, ENOSPC);
  EXPECT_EQ(unclosed(), 1U);
}

TEST_F(ServiceBesideAHangingClient, RefusesRegistrationsWhileAsManyThatHaveEndedAreUnclosed) {
  for (int i = 0; i < 2; ++i) {
    const evictd_notify_register_reply added = add_eventfd();
    ASSERT_EQ(added.error, 0);
    remove(added.registration);
  }
  EXPECT_EQ(add_eventfd().error, EDQUOT);
}

TEST_F(ServiceBesideAHangingClient, ClosesEveryDescriptorOfAMessageWithTooManyAside) {
  const base::Fd eventfd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const int fd = eventfd.get();
  EXPECT_EQ(add({fd, fd, fd, fd, fd, fd, fd, fd}).error, EBADMSG);
  EXPECT_EQ(unclosed(), 8U);
}

TEST_F(ServiceBesideAHangingClient, ClosesASocketThatDescriptorsAreInAside) {
  send_wrong();
  send_wrong();
  run_until_nobody_is_connected();
  EXPECT_EQ(unclosed(), 2U) << "the first one's descriptor, and the socket with the second one's";
}

TEST_F(ServiceBesideAHangingClient, ClosesAsideSocketWithFdsBehindAnEmptyMessage) {
  send_wrong();
  send_empty();
  send_wrong();
  run_until_nobody_is_connected();
  EXPECT_EQ(unclosed(), 2U);
}

TEST_F(ServiceBesideAHangingClient, ClosesASocketThatOnlyMessagesAreInAtOnce) {
  send_wrong();
  send_empty();
  send(evictd_notify_status{.header = request_header(EVICTD_NOTIFY_STATUS)});
  run_until_nobody_is_connected();
  EXPECT_EQ(unclosed(), 1U);
}

TEST_F(ServiceBesideAHangingClient, LeavesWhatThereIsNoRoomForInTheSocket) {
  const base::Fd eventfd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const int fd = eventfd.get();
  while (service_->counters().unclosed < Disposer::kMostPending) {
    ASSERT_EQ(add({fd, fd}).error, EBADF);
  }
  const std::size_t before = unclosed();
  EXPECT_EQ(status().error, 0) << "which carries none";
  EXPECT_EQ(add({fd, fd}).error, EBADMSG);
  run_until_nobody_is_connected();
  EXPECT_EQ(unclosed(), before + 1) << "the socket";
}

TEST_F(ServiceBesideAHangingClient, TooManyUnclosedSocketsBlockNewClientsUntilClosed) {
  constexpr int kFar = 1000;
  for (int i = 0; i < kFar && service_->counters().held_back == 0; ++i) {
    ASSERT_NO_FATAL_FAILURE(connect());
    send_wrong();
    send_wrong();
    ASSERT_TRUE(loop_->run_once());
  }
  ASSERT_EQ(service_->counters().held_back, 1U);
  ASSERT_NO_FATAL_FAILURE(connect());
  end_.let_go();
  const auto hello = ask<evictd_notify_hello_reply>(
      evictd_notify_hello{.header = request_header(EVICTD_NOTIFY_HELLO), .version = 1, .flags = 0});
  EXPECT_EQ(hello.error, 0);
}

}  // namespace
}  // namespace evictd::notify
