// SPDX-License-Identifier: Apache-2.0
// What a client is shown of its registrations when some have ended by themselves.
#include <sys/eventfd.h>

#include <cerrno>

#include "one_thread_service.h"

namespace evictd::notify {
namespace {

constexpr CgroupId kGoneCgroup{.hierarchy = 0, .id = 1};
constexpr CgroupId kStayingCgroup{.hierarchy = 0, .id = 2};

using test::request_header;

void remove_the_gone_one(BackendSink& sink) {
  sink.on_removed(kGoneCgroup, EVICTD_NOTIFY_ALL_SIGNALS);
}

class ServiceList : public test::OneThreadService {
 protected:
  evictd_notify_register_reply add(CgroupId cgroup) {
    backend_->cgroup = cgroup;
    const base::Fd eventfd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    const base::Fd directory = test::any_cgroup();
    evictd_notify_register_request wish{};
    wish.header = request_header(EVICTD_NOTIFY_REGISTER);
    wish.threshold = 4096;
    wish.eventfd = -1;
    return ask<evictd_notify_register_reply>(wish, {eventfd.get(), directory.get()});
  }
  /// The first registration that is shown, or 0.
  std::uint64_t first_listed() {
    const auto reply = ask<evictd_notify_list_reply>(
        evictd_notify_list{.header = request_header(EVICTD_NOTIFY_LIST), .after = 0});
    return reply.error == 0 ? reply.registration : 0;
  }
  std::uint32_t counted() {
    return ask<evictd_notify_status_reply>(
               evictd_notify_status{.header = request_header(EVICTD_NOTIFY_STATUS)})
        .uid_registrations;
  }
};

TEST_F(ServiceList, GoesOnAfterOneWhoseCgroupWentDuringAnAdd) {
  ASSERT_EQ(add(kGoneCgroup).error, 0);
  backend_->sayings = {remove_the_gone_one};
  const std::uint64_t staying = add(kStayingCgroup).registration;
  ASSERT_NE(staying, 0U);
  EXPECT_EQ(first_listed(), staying);
  EXPECT_EQ(counted(), 1U);
}

TEST_F(ServiceList, GoesOnAfterOneThatTheEngineAloneKnowsToHaveEnded) {
  ASSERT_EQ(add(kGoneCgroup).error, 0);
  const std::uint64_t staying = add(kStayingCgroup).registration;
  backend_->sayings = {remove_the_gone_one};
  engine_->drain();
  ASSERT_NE(staying, 0U);
  EXPECT_EQ(first_listed(), staying);
}

TEST_F(ServiceList, LeavesOutOneThatCouldNotBeAddedAndCountsOffWhatHadEnded) {
  ASSERT_EQ(add(kGoneCgroup).error, 0);
  backend_->sayings = {remove_the_gone_one};
  backend_->refuses_with = ENOSPC;
  EXPECT_EQ(add(kStayingCgroup).error, ENOSPC);
  EXPECT_EQ(counted(), 0U);
}

}  // namespace
}  // namespace evictd::notify
