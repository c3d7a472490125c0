// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "base/system_clock.h"
#include "counted_eventfd.h"
#include "notify/engine.h"
#include "notify/engine_thread.h"
#include "notify/kernel_backend.h"
#include "test_cgroup.h"
#include "test_child.h"

namespace evictd::test {

inline constexpr std::uint64_t kMega = 1 << 20;

/// An Engine with the kernel's hooks, a thread that drains it, and a cgroup to work in.
class EngineGround : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<notify::KernelBackend>> backend =
        notify::KernelBackend::create(options());
    ASSERT_TRUE(backend) << backend.error().message();
    kernel_ = backend->get();
    auto engine = notify::Engine::create(std::move(*backend), clock_);
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
    auto thread = notify::EngineThread::start(*engine_);
    ASSERT_TRUE(thread) << thread.error().message();
    thread_ = std::move(*thread);
  }

  [[nodiscard]] virtual notify::LoadOptions options() const { return {.max_rows = 2048}; }

  Result<notify::Listening> listen(const CountedEventfd& eventfd, const notify::Terms& terms,
                                   int directory) {
    return engine_->listen({.terms = terms,
                            .eventfd = eventfd.duplicate(),
                            .directory = base::Fd(::dup(directory)),
                            .number = eventfd.get()});
  }
  Result<notify::Listening> listen(const CountedEventfd& eventfd, const notify::Terms& terms) {
    return listen(eventfd, terms, cgroup_.memory_fd());
  }

  base::SystemClock clock_;
  TestCgroup cgroup_ = TestCgroup::create();
  notify::KernelBackend* kernel_ = nullptr;
  std::unique_ptr<notify::Engine> engine_;
  std::unique_ptr<notify::EngineThread> thread_;
};

}  // namespace evictd::test
