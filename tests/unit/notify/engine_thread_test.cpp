// SPDX-License-Identifier: Apache-2.0
#include "notify/engine_thread.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <future>

#include "base/system_clock.h"
#include "sys/scheduling.h"

namespace evictd::notify {
namespace {

/// Watches nothing and tells how the thread that drains it is scheduled.
class DrainedBackend final : public Backend {
 public:
  DrainedBackend() : ready_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  [[nodiscard]] evictd_notify_backend kind() const override { return EVICTD_NOTIFY_POLLING; }
  [[nodiscard]] std::string name() const override { return "none"; }
  [[nodiscard]] std::uint32_t signals() const override { return 0; }
  [[nodiscard]] Result<CgroupId> identify(int /*directory*/) const override {
    return fail_errno(ENODEV, "none");
  }
  [[nodiscard]] Result<RowId> watch(const LevelKey& /*key*/, int /*directory*/,
                                    std::span<const std::uint64_t> /*edges*/,
                                    const RowId* /*replaced*/) override {
    return fail_errno(EOPNOTSUPP, "none");
  }
  void unwatch(RowId /*row*/) override {}
  [[nodiscard]] bool is_behind(RowId /*row*/) const override { return false; }
  [[nodiscard]] std::uint64_t value(RowId /*row*/) const override { return 0; }
  [[nodiscard]] int descriptor() const override { return ready_.get(); }
  void drain(BackendSink& /*sink*/) override {
    eventfd_t count = 0;
    ::eventfd_read(ready_.get(), &count);
    if (++drains_ == 1) {
      drained_.set_value(sys::scheduling_of_thread().value_or(sys::SchedulingAttributes{}));
    }
  }
  [[nodiscard]] BackendCounters counters() const override { return {}; }

  void make_ready() const { ::eventfd_write(ready_.get(), 1); }
  [[nodiscard]] sys::SchedulingAttributes scheduling_of_first_drain() {
    return drained_.get_future().get();
  }
  [[nodiscard]] int drains() const { return drains_; }

 private:
  base::Fd ready_;
  std::promise<sys::SchedulingAttributes> drained_;
  int drains_ = 0;
};

class EngineDrain : public testing::Test {
 protected:
  void SetUp() override {
    auto backend = std::make_unique<DrainedBackend>();
    backend_ = backend.get();
    auto engine = Engine::create(std::move(backend), clock_);
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
  }

  base::SystemClock clock_;
  std::unique_ptr<Engine> engine_;
  DrainedBackend* backend_ = nullptr;
};

TEST_F(EngineDrain, TakesWhatTheBackendHasBeforeItAsksWhatIsReady) {
  engine_->drain();
  EXPECT_EQ(backend_->drains(), 1);
}

TEST_F(EngineDrain, RunsInAThreadWithShortSlices) {
  const auto thread = EngineThread::start(*engine_);
  ASSERT_TRUE(thread) << thread.error().message();
  backend_->make_ready();
  const sys::SchedulingAttributes seen = backend_->scheduling_of_first_drain();
  const Result<sys::SchedulingAttributes> here = sys::scheduling_of_thread();
  ASSERT_TRUE(here) << here.error().message();

  EXPECT_EQ(seen.policy, here->policy);
  // A kernel without slices of one's own says 0 here and there.
  EXPECT_EQ(seen.runtime,
            here->runtime == 0 ? 0 : static_cast<std::uint64_t>(sys::kShortSlice.count()));
}

}  // namespace
}  // namespace evictd::notify
