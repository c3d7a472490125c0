// SPDX-License-Identifier: Apache-2.0
// The Engine before a backend that is behind with its values: the files of the cgroup decide.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "base/system_clock.h"
#include "counted_eventfd.h"
#include "notify/engine.h"
#include "test_cgroup.h"
#include "test_child.h"

namespace evictd::test {
namespace {

constexpr std::uint64_t kHintedMega = 1 << 20;

/// Says what a test wants, and watches nothing.
class HintingBackend final : public notify::Backend {
 public:
  using Saying = std::function<void(notify::BackendSink&)>;

  [[nodiscard]] evictd_notify_backend kind() const override { return EVICTD_NOTIFY_POLLING; }
  [[nodiscard]] std::string name() const override { return "hints"; }
  [[nodiscard]] std::uint32_t signals() const override { return 1U << EVICTD_NOTIFY_WORKING_SET; }
  [[nodiscard]] Result<CgroupId> identify(int /*directory*/) const override {
    return CgroupId{.hierarchy = 0, .id = 1};
  }
  [[nodiscard]] Result<notify::RowId> watch(const notify::LevelKey& /*key*/, int /*directory*/,
                                            std::span<const std::uint64_t> /*edges*/,
                                            const notify::RowId* /*replaced*/) override {
    sayings.emplace_back([](notify::BackendSink& sink) {
      sink.on_begin({.row = 0, .position = 1, .value = 1000 * kHintedMega});
    });
    return notify::RowId{0};
  }
  void unwatch(notify::RowId /*row*/) override {}
  [[nodiscard]] bool is_behind(notify::RowId /*row*/) const override { return true; }
  [[nodiscard]] std::uint64_t value(notify::RowId /*row*/) const override { return 0; }
  [[nodiscard]] int descriptor() const override { return never_.get(); }
  void drain(notify::BackendSink& sink) override {
    for (; !sayings.empty(); sayings.pop_front()) {
      sayings.front()(sink);
    }
  }
  [[nodiscard]] notify::BackendCounters counters() const override { return {}; }

  std::deque<Saying> sayings;

 private:
  base::Fd never_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
};

/// A threshold of 48 MiB, said to be passed from the start; nobody drains but the test.
class NotifyHints : public testing::Test {
 protected:
  void SetUp() override {
    auto backend = std::make_unique<HintingBackend>();
    backend_ = backend.get();
    auto engine = notify::Engine::create(std::move(backend), clock_);
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
    const auto listening = engine_->listen(
        {.terms = {.signal = EVICTD_NOTIFY_WORKING_SET, .threshold = 48 * kHintedMega},
         .eventfd = eventfd_.duplicate(),
         .directory = base::Fd(::dup(cgroup_.memory_fd()))});
    ASSERT_TRUE(listening) << listening.error().message();
    EXPECT_EQ(listening->side, EVICTD_NOTIFY_BELOW);
    EXPECT_LT(listening->value, 40 * kHintedMega);
  }
  void hint(std::uint32_t position, bool gap = false) {
    backend_->sayings.emplace_back([position, gap](notify::BackendSink& sink) {
      sink.on_move({.row = 0, .position = position, .gap = gap});
    });
    engine_->drain();
  }
  /// Until it is time to read without a hint, and that is done.
  void await_reading() {
    pollfd ready{.fd = engine_->descriptor(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&ready, 1, 20'000), 1);
    engine_->drain();
  }

  base::SystemClock clock_;
  TestCgroup cgroup_ = TestCgroup::create();
  CountedEventfd eventfd_;
  HintingBackend* backend_ = nullptr;
  std::unique_ptr<notify::Engine> engine_;
  TestChild child_{cgroup_};
};

TEST_F(NotifyHints, ThatAreWrongAreToldToNobody) {
  hint(1);
  hint(0);
  hint(1);
  EXPECT_EQ(eventfd_.count(), 0U);
}

TEST_F(NotifyHints, ThatAreRightAreToldAtOnce) {
  ASSERT_TRUE(child_.run(Work::kTouch4K, 64 * kHintedMega));
  hint(1);
  EXPECT_EQ(eventfd_.count(), 1U);
  ASSERT_TRUE(child_.run(Work::kRelease));
  hint(0);
  EXPECT_EQ(eventfd_.count(), 2U);
}

TEST_F(NotifyHints, ThatDoNotComeLoseNoCrossing) {
  ASSERT_TRUE(child_.run(Work::kTouch4K, 64 * kHintedMega));
  while (eventfd_.count() == 0) {
    ASSERT_NO_FATAL_FAILURE(await_reading());
  }
  ASSERT_TRUE(child_.run(Work::kRelease));
  while (eventfd_.count() == 1) {
    ASSERT_NO_FATAL_FAILURE(await_reading());
  }
  EXPECT_EQ(eventfd_.count(), 2U);
}

TEST_F(NotifyHints, ThatWereLostAreToldAsOne) {
  hint(1, true);
  EXPECT_EQ(eventfd_.count(), 1U);
}

}  // namespace
}  // namespace evictd::test
