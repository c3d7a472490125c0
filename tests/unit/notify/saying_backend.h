// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <deque>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "core/clock.h"
#include "notify/backend.h"
#include "notify/descriptors.h"

namespace evictd::test {

/// Later than any machine is up, so that no timer that is armed for then fires.
inline constexpr MonoTime kHandBegin{std::chrono::hours(100'000)};

/// Stands still between two calls of advance(), but for what `costs` and `pause` say of what is
/// measured in CPU time.
class HandClock final : public core::Clock {
 public:
  explicit HandClock(MonoTime begin = kHandBegin) : now_(begin) {}
  [[nodiscard]] MonoTime now() const override { return now_; }
  [[nodiscard]] WallTime wall_now() const override { return {}; }
  /// Called before and after what is measured.
  [[nodiscard]] Duration thread_cpu() const override {
    if (measured_++ % 2 == 0) {
      return cpu_;
    }
    now_ += pause;
    cpu_ += costs.empty() ? std::chrono::microseconds(10) : costs.front();
    if (!costs.empty()) {
      costs.pop_front();
    }
    return cpu_;
  }
  void advance(Duration by) { now_ += by; }
  /// How much was measured.
  [[nodiscard]] int measured() const { return measured_ / 2; }

  /// Of what is measured next, one after the other; then 10 us each.
  mutable std::deque<Duration> costs;
  /// For so long nobody has the CPU in what is measured.
  Duration pause{};

 private:
  mutable MonoTime now_;
  mutable Duration cpu_{};
  mutable int measured_ = 0;
};

/// Each drain takes a microsecond and says what is next in `sayings`. Rows are 0, 1, 2...
class SayingBackend final : public notify::Backend {
 public:
  using Saying = std::function<void(notify::BackendSink&)>;

  explicit SayingBackend(HandClock& clock)
      : clock_(clock), ready_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  [[nodiscard]] evictd_notify_backend kind() const override { return EVICTD_NOTIFY_POLLING; }
  [[nodiscard]] std::string name() const override { return "sayings"; }
  [[nodiscard]] std::uint32_t signals() const override {
    return 1U << EVICTD_NOTIFY_USAGE | 1U << EVICTD_NOTIFY_PIDS;
  }
  [[nodiscard]] Result<CgroupId> identify(int /*directory*/) const override { return cgroup; }
  [[nodiscard]] Result<notify::RowId> watch(const notify::LevelKey& /*key*/, int /*directory*/,
                                            std::span<const std::uint64_t> edges,
                                            const notify::RowId* replaced) override {
    if (refuses_with != 0) {
      return fail_errno(refuses_with, "watch");
    }
    if (rows_in_use_ == rows) {
      return fail_errno(ENOSPC, "watch");
    }
    ++rows_in_use_;
    watched.assign(edges.begin(), edges.end());
    ++watches;
    const notify::RowId row = next_row_++;
    if (begins) {
      sayings.emplace_back([this, row, replaces = replaced != nullptr](notify::BackendSink& sink) {
        rows_in_use_ -= replaces ? 1U : 0U;
        sink.on_begin({.row = row, .position = 0, .value = 0});
      });
    }
    return row;
  }
  void unwatch(notify::RowId row) override {
    unwatched.push_back(row);
    --rows_in_use_;
  }
  [[nodiscard]] notify::BackendRoom room() const override {
    return {.rows = rows, .edges = std::numeric_limits<std::uint32_t>::max()};
  }
  [[nodiscard]] bool is_behind(notify::RowId /*row*/) const override { return behind; }
  [[nodiscard]] std::uint64_t value(notify::RowId /*row*/) const override { return 0; }
  [[nodiscard]] int descriptor() const override { return ready_.get(); }
  void drain(notify::BackendSink& sink) override {
    ++drains;
    clock_.advance(drain_time);
    if (sayings.empty()) {
      return;
    }
    const Saying saying = std::move(sayings.front());
    sayings.pop_front();
    saying(sink);
  }
  [[nodiscard]] notify::BackendCounters counters() const override { return {}; }

  std::deque<Saying> sayings;
  /// Which one every directory is.
  CgroupId cgroup{.hierarchy = 0, .id = 1};
  /// How many there can be at a time.
  std::uint32_t rows = std::numeric_limits<std::uint32_t>::max();
  /// The errno with which watch() fails.
  int refuses_with = 0;
  /// Whether a watch() is followed by its on_begin().
  bool begins = true;
  /// Whether files decide.
  bool behind = false;
  Duration drain_time = std::chrono::microseconds(1);
  int watches = 0;
  /// Edges of the last watch().
  std::vector<std::uint64_t> watched;
  std::vector<notify::RowId> unwatched;
  int drains = 0;

 private:
  HandClock& clock_;
  base::Fd ready_;
  notify::RowId next_row_ = 0;
  std::uint32_t rows_in_use_ = 0;
};

/// A directory that an Engine takes for a cgroup; none where no cgroup is mounted.
inline base::Fd any_cgroup() {
  base::Fd directory;
  for (const char* path : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/memory"}) {
    base::Fd opened(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened && notify::check_directory(opened.get()) == 0) {
      directory = std::move(opened);
    }
  }
  return directory;
}

}  // namespace evictd::test
