// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/answers.h"
#include "kube/backoff.h"
#include "kube/pod_source.h"

namespace evictd::kube {

/// Lists the pods of one node, or the events of their evictions, and then watches them. A new watch
/// resumes where the last one ended. If the server no longer knows that resource version, the
/// source lists again.
class ApiServerSource final : public PodSource {
 public:
  struct Options {
    /// `node` selects the pods, or the events by the node of their pods.
    AnswerRules rules;
    /// The server ends a watch by itself after this time.
    Duration watch_time = std::chrono::minutes(5);
    /// A watch that receives nothing for this long, not even a bookmark, is closed: the peer may be
    /// dead.
    Duration silence_limit = std::chrono::minutes(2);
    /// Borrowed.
    PodSink* sink = nullptr;
    RandomPart random;
  };

  explicit ApiServerSource(Options options) : options_(std::move(options)), backoff_({}) {}

  [[nodiscard]] MonoTime due() const override;
  [[nodiscard]] std::optional<Ask> tick(MonoTime now) override;
  [[nodiscard]] bool must_cancel(MonoTime now) override;
  void on_head(int status, MonoTime now) override;
  [[nodiscard]] bool on_data(std::string_view piece, MonoTime now) override;
  void on_end(const Answer& answer, MonoTime now) override;
  /// The watch reports the pod by itself.
  void on_unknown_pod(MonoTime /*now*/) override { ++counters_.nudges; }
  void on_write_failed(MonoTime now) override;
  [[nodiscard]] const SourceCounters& counters() const override { return counters_; }
  [[nodiscard]] const std::string& problem() const override { return problem_; }

 private:
  enum class State { kIdle, kListing, kWatching };
  /// Why a watch must be closed.
  enum class Break { kNone, kSilent, kRelist, kFailed };
  /// The resource version to list from.
  enum class Version {
    kAny,     ///< Whatever the server has cached.
    kNewest,  ///< What is stored, which costs the server more.
  };

  [[nodiscard]] Ask list();
  [[nodiscard]] Ask watch(MonoTime now);
  /// Returns false if the watch must be closed.
  [[nodiscard]] bool take_line(std::string_view line, MonoTime now);
  [[nodiscard]] bool take_event(WatchEvent event, MonoTime now);
  void end_list(const Answer& answer, MonoTime now);
  void take_list(PodList list, MonoTime now);
  void end_watch(const Answer& answer, MonoTime now);
  void end_broken_watch(MonoTime now);
  void fail_with(std::string problem, Duration at_least, MonoTime now);
  void relist() {
    need_list_ = true;
    version_ = Version::kNewest;
  }

  Options options_;
  Backoff backoff_;
  State state_ = State::kIdle;
  bool need_list_ = true;
  Version version_ = Version::kAny;
  std::string resource_version_;
  MonoTime due_{};
  /// State of the watch in progress.
  Break break_ = Break::kNone;
  std::string break_reason_;
  MonoTime started_at_{};
  MonoTime last_data_at_{};
  bool is_open_ = false;
  bool had_event_ = false;
  std::string unfinished_line_;
  SourceCounters counters_;
  std::string problem_;
};

}  // namespace evictd::kube
