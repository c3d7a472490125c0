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

/// Compares what evictd's dry run would have done with what the kubelet does, and keeps it in a
/// file. Thread rule: everything belongs to the thread that runs the loop; files are written in it.
class Observer {
 public:
  struct Options {
    std::string state_directory;
    /// How far apart two evictions are at most that are about the same.
    Duration window{};
    /// Borrowed.
    base::EventLoop* loop = nullptr;
    const core::Clock* clock = nullptr;
    base::Log* log = nullptr;
  };
  struct Counters {
    std::uint64_t lines = 0;
    std::uint64_t unreadable = 0;
    /// Times that evictd had lost lines that we had not seen.
    std::uint64_t skipped = 0;
    /// Taken into the comparison.
    std::uint64_t decisions = 0;
    std::uint64_t evictions = 0;
    /// Decisions that were carried out, which are nothing to compare.
    std::uint64_t not_dry_run = 0;
  };

  /// A file that cannot be read is set aside. Errors: those of QueueFile and of system calls.
  [[nodiscard]] static Result<std::unique_ptr<Observer>> create(Options options);
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  ~Observer();

  /// What evictd is to be asked, so that its journal goes on where it is known up to.
  [[nodiscard]] std::string follow_request() const;
  /// Takes a line of the journal.
  void on_line(std::string_view text);
  void on_eviction(exporting::ComparedEviction eviction);

  /// What is wrong now; empty while nothing is.
  [[nodiscard]] const std::string& problem() const;
  /// For the status; docs/kubernetes.md.
  [[nodiscard]] nlohmann::ordered_json status() const;
  /// Everything that is kept.
  [[nodiscard]] nlohmann::ordered_json comparisons() const;

 private:
  Observer(Options options, QueueFile file, ComparisonLog log, base::Timer timer);
  [[nodiscard]] Result<> prepare();
  void take(ObservedLine line);
  void on_timer();
  void note_change(bool has_changed);
  void save();

  Options options_;
  QueueFile file_;
  ComparisonLog log_;
  base::Timer timer_;
  base::MemberHandler<Observer> timer_handler_{*this, &Observer::on_timer};
  bool is_saved_ = false;
  Counters counters_;
  std::string file_problem_;
  /// evictd is in no dry run.
  std::string evictd_problem_;
};

}  // namespace evictd::kube
