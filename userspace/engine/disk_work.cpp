// SPDX-License-Identifier: Apache-2.0
#include "engine/disk_work.h"

#include <algorithm>

namespace evictd::engine {

namespace {

/// Longest wait for a filesystem's answer before a pass continues with the known reading.
constexpr Duration kReadingPatience = std::chrono::seconds(1);

}  // namespace

bool DiskWork::usage_counts(MonoTime now) const {
  if (counts_until_ && now < *counts_until_) {
    return true;
  }
  return awaited() && now >= give_up_at_ && now < give_up_at_ + kUsageCounts;
}

std::optional<std::uint64_t> DiskWork::need_usage(MonoTime now, Duration max_wait) {
  if (usage_counts(now) || (awaited() && now < give_up_at_)) {
    return std::nullopt;
  }
  counts_until_.reset();
  give_up_at_ = now + max_wait;
  time_up_at_.reset();
  reported_time_up_ = false;
  partial_news_ = false;
  reported_give_up_ = false;
  return ++asked_;
}

bool DiskWork::gave_up_usage(MonoTime now) {
  if (asked_ == measured_ || reported_give_up_ || now < give_up_at_) {
    return false;
  }
  reported_give_up_ = true;
  return true;
}

void DiskWork::usage_measured(std::uint64_t round, MonoTime now) {
  // If a victim was chosen by it meanwhile, the measurement includes that victim's usage.
  if (round != asked_ || !awaited()) {
    return;
  }
  measured_ = round;
  counts_until_ = now + kUsageCounts;
}

void DiskWork::usage_partly_measured(std::uint64_t round) {
  if (round == asked_ && awaited()) {
    partly_measured_ = round;
    partial_news_ = true;
  }
}

void DiskWork::bound_by_full_at(MonoTime now, const std::optional<MonoTime>& full_at) {
  if (!awaited()) {
    return;
  }
  if (!full_at) {
    time_up_at_.reset();
    reported_time_up_ = false;
    return;
  }
  const Duration left = std::max(*full_at - now, Duration::zero());
  time_up_at_ = now + std::max(left - std::max(left / 4, kFullMargin), Duration::zero());
  reported_time_up_ = reported_time_up_ && *time_up_at_ <= now;
}

bool DiskWork::ran_out_of_time(MonoTime now) {
  if (reported_time_up_ || !time_is_up(now) || partly_measured_ != asked_) {
    return false;
  }
  reported_time_up_ = true;
  partial_news_ = true;
  return true;
}

DiskMeasurement DiskWork::measurement(MonoTime now) const {
  if (!awaited()) {
    return {};
  }
  return {.round = asked_, .best_known = time_is_up(now) || now >= give_up_at_};
}

eviction::DiskProgress DiskWork::progress(MonoTime now) const {
  if (!awaited() || partly_measured_ != asked_) {
    return eviction::DiskProgress::kNothing;
  }
  return measurement(now).best_known ? eviction::DiskProgress::kTimeIsUp
                                     : eviction::DiskProgress::kSome;
}

void DiskWork::victim_chosen() {
  counts_until_.reset();
  measured_ = asked_;
  collectors_ran_at_.reset();
}

std::optional<std::uint64_t> DiskWork::begin_reclaim(MonoTime now, bool wanted, Duration budget) {
  Reclaim reclaim;
  reclaim.deadline = now + budget;
  const bool runs =
      wanted && (!collectors_ran_at_ || now - *collectors_ran_at_ >= kCollectorPeriod);
  reclaim.collectors_done = !runs;
  if (runs) {
    reclaim.round = ++collector_rounds_;
    collectors_ran_at_ = now;
  }
  reclaim_ = reclaim;
  return runs ? std::optional(reclaim.round) : std::nullopt;
}

void DiskWork::collectors_done(std::uint64_t round) {
  if (reclaim_ && reclaim_->round == round) {
    reclaim_->collectors_done = true;
  }
}

DiskWork::Step DiskWork::next_step(MonoTime now, const std::optional<MonoTime>& read_at) {
  if (!reclaim_) {
    return Step::kWait;
  }
  if (now >= reclaim_->deadline) {
    return Step::kResume;
  }
  if (!reclaim_->collectors_done || (!usage_counts(now) && !(awaited() && partial_news_))) {
    return Step::kWait;
  }
  if (!reclaim_->readings_since) {
    reclaim_->readings_since = now;
    return Step::kReadDisks;
  }
  const bool read = read_at && *read_at >= *reclaim_->readings_since;
  return read || now >= *reclaim_->readings_since + kReadingPatience ? Step::kResume : Step::kWait;
}

std::optional<MonoTime> DiskWork::deadline(MonoTime now) const {
  std::optional<MonoTime> first;
  const auto note = [&](MonoTime at) {
    if (at > now && (!first || at < *first)) {
      first = at;
    }
  };
  if (awaited()) {
    note(give_up_at_);
    if (time_up_at_ && partly_measured_ == asked_) {
      note(*time_up_at_);
    }
  }
  if (reclaim_) {
    note(reclaim_->deadline);
    if (reclaim_->readings_since) {
      note(*reclaim_->readings_since + kReadingPatience);
    }
  }
  return first;
}

}  // namespace evictd::engine
