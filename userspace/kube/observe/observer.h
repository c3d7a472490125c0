// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "base/log.h"
#include "base/member_handler.h"
#include "base/timer.h"
#include "core/clock.h"
#include "evictd/result.h"
#include "kube/actions/queue_file.h"
#include "kube/observe/comparison_log.h"
#include "kube/observe/dry_run_line.h"

namespace evictd::kube {

/// Compares evictd's dry-run decisions with the kubelet's evictions, and stores the result in a
/// file.
/// Thread rule: everything belongs to the thread that runs the loop; that thread also writes the
/// files.
class Observer {
 public:
  struct Options {
    std::string state_directory;
    /// The largest distance in time between two evictions that count as the same.
    Duration window{};
    /// Borrowed.
    base::EventLoop* loop = nullptr;
    const core::Clock* clock = nullptr;
    base::Log* log = nullptr;
  };
  struct Counters {
    std::uint64_t lines = 0;
    std::uint64_t unreadable = 0;
    /// Gaps: evictd dropped lines before evictd-kube read them.
    std::uint64_t skipped = 0;
    /// Decisions and evictions that entered the comparison.
    std::uint64_t decisions = 0;
    std::uint64_t evictions = 0;
    /// Decisions that were carried out; there is nothing to compare.
    std::uint64_t not_dry_run = 0;
  };

  /// Sets an unreadable file aside. Errors: those of QueueFile and of system calls.
  [[nodiscard]] static Result<std::unique_ptr<Observer>> create(Options options);
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  ~Observer();

  /// The request that makes evictd continue its journal after the last line that is known here.
  [[nodiscard]] std::string follow_request() const;
  /// Takes a journal line.
  void on_line(std::string_view text);
  void on_eviction(exporting::ComparedEviction eviction);

  /// The current problem; empty if there is none.
  [[nodiscard]] const std::string& problem() const;
  /// The part of the status that docs/kubernetes.md describes.
  [[nodiscard]] nlohmann::ordered_json status() const;
  /// All stored comparisons.
  [[nodiscard]] nlohmann::ordered_json comparisons() const;

 private:
  Observer(Options options, QueueFile file, ComparisonLog log, base::Timer timer);
  [[nodiscard]] Result<> prepare();
  void take(ObservedLine line);
  void on_timer();
  void schedule_save(bool has_changed);
  void save();

  Options options_;
  QueueFile file_;
  ComparisonLog log_;
  base::Timer timer_;
  base::MemberHandler<Observer> timer_handler_{*this, &Observer::on_timer};
  bool is_saved_ = false;
  Counters counters_;
  std::string file_problem_;
  /// evictd is not in dry run.
  std::string evictd_problem_;
};

}  // namespace evictd::kube
