// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/fd.h"
#include "notify/engine.h"
#include "saying_backend.h"

namespace evictd::test {

constexpr const char* kNoFiles = "no cgroup has the files";

/// An Engine before a backend that says what a test wants.
class EngineTest : public testing::Test {
 protected:
  explicit EngineTest(MonoTime begin = kHandBegin) : clock_(begin) {}
  void SetUp() override { make(notify::Engine::Waiting::kAwake); }

  void make(notify::Engine::Waiting waiting, std::uint32_t rows = notify::BackendRoom{}.rows) {
    auto backend = std::make_unique<SayingBackend>(clock_);
    backend_ = backend.get();
    backend_->rows = rows;
    auto engine = notify::Engine::create(std::move(backend), clock_, waiting);
    ASSERT_TRUE(engine) << engine.error().message();
    engine_ = std::move(*engine);
  }

  Result<notify::Listening> try_to_listen(const notify::Terms& terms) {
    Result<notify::Listening> listening =
        engine_->listen({.terms = terms,
                         .eventfd = base::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
                         .directory = any_cgroup()});
    backend_->drains = 0;
    return listening;
  }
  /// The id, or 0 where no cgroup is mounted.
  notify::RegistrationId listen(const notify::Terms& terms = {.threshold = 4096}) {
    if (!any_cgroup()) {
      return 0;
    }
    const Result<notify::Listening> listening = try_to_listen(terms);
    EXPECT_TRUE(listening) << listening.error().message();
    return listening ? listening->id : 0;
  }

  /// For a value of each of so many cgroups that the backend is behind with and that passes no
  /// threshold. False where there are no files to read.
  bool listen_behind(std::uint64_t cgroups) {
    constexpr std::uint64_t kNeverPassed = 1ULL << 50U;
    backend_->behind = true;
    for (std::uint64_t id = 1; id <= cgroups; ++id) {
      backend_->cgroup = {.hierarchy = 0, .id = id};
      if (!any_cgroup()) {
        return false;
      }
      const Result<notify::Listening> listening = try_to_listen({.threshold = kNeverPassed});
      if (!listening && listening.error().sys_errno == EOPNOTSUPP) {
        return false;
      }
      EXPECT_TRUE(listening) << listening.error().message();
    }
    return true;
  }
  /// Waits until a timer has fired that is armed for the past: it does so at the next interrupt.
  void await_timer() {
    constexpr int kFarMs = 60'000;
    pollfd fired{.fd = engine_->descriptor(), .events = POLLIN, .revents = 0};
    EXPECT_EQ(::poll(&fired, 1, kFarMs), 1) << "no timer fires";
  }
  /// How many times files are read by one drain.
  int readings() {
    const int before = clock_.measured();
    engine_->drain();
    return clock_.measured() - before;
  }

  HandClock clock_;
  std::unique_ptr<notify::Engine> engine_;
  SayingBackend* backend_ = nullptr;
};

}  // namespace evictd::test
