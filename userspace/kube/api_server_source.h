// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kube/answers.h"
#include "kube/backoff.h"
#include "kube/pod_source.h"

namespace evictd::kube {

/// Lists the pods of one node, or the events of their evictions, and watches them from then on:
/// from where the last watch ended, or listed anew where the server does not know that place any
/// more.
class ApiServerSource final : public PodSource {
 public:
  struct Options {
    /// `node` is the one whose pods, or events about whose pods, are asked for.
    AnswerRules rules;
    /// After so long the server ends a watch by itself.
    Duration watch_time = std::chrono::minutes(5);
    /// A watch in which nothing came for so long, not even a bookmark, is given up: nobody may be
    /// there any more.
    Duration silence_limit = std::chrono::minutes(2);
    /// Borrowed.
    PodSink* sink = nullptr;
    RandomPart random;
  };

  explicit ApiServerSource(Options options) : options_(std::move(options)), backoff_({}) {}

  [[nodiscard]] MonoTime due() const override;
  [[nodiscard]] std::optional<Ask> tick(MonoTime now) override;
  [[nodiscard]] bool gives_up(MonoTime now) override;
  void on_head(int status, MonoTime now) override;
  [[nodiscard]] bool on_data(std::string_view piece, MonoTime now) override;
  void on_end(const Answer& answer, MonoTime now) override;
  /// The watch tells of it by itself.
  void on_unknown_pod(MonoTime /*now*/) override { ++counters_.nudges; }
  void on_not_written(MonoTime now) override;
  [[nodiscard]] const SourceCounters& counters() const override { return counters_; }
  [[nodiscard]] const std::string& problem() const override { return problem_; }

 private:
  enum class State { kIdle, kListing, kWatching };
  /// Why a watch is to be broken off.
  enum class Break { kNone, kSilent, kRelist, kFailed };
  /// From where a list is to be.
  enum class Version {
    kAny,     ///< What the server has at hand.
    kNewest,  ///< What is stored, which costs the server more.
  };

  [[nodiscard]] Ask list();
  [[nodiscard]] Ask watch(MonoTime now);
  /// False: it is to be broken off.
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
  /// Of the watch in progress.
  Break break_ = Break::kNone;
  std::string break_reason_;
  MonoTime started_at_{};
  MonoTime heard_at_{};
  bool is_open_ = false;
  bool had_event_ = false;
  std::string unfinished_line_;
  SourceCounters counters_;
  std::string problem_;
};

}  // namespace evictd::kube
