// SPDX-License-Identifier: Apache-2.0
#include "daemon/disk_work.h"

#include <algorithm>

namespace evictd::daemon {

namespace {

/// How long a filesystem may take to answer before a pass goes on with what is known.
constexpr Duration kReadingPatience = std::chrono::seconds(1);

}  // namespace

bool DiskWork::usage_counts(MonoTime now) const {
  if (counts_until_ && now < *counts_until_) {
    return true;
  }
  return asked_ > measured_ && now >= give_up_at_ && now < give_up_at_ + kUsageCounts;
}

std::optional<std::uint64_t> DiskWork::need_usage(MonoTime now, Duration max_wait) {
  if (usage_counts(now) || (asked_ > measured_ && now < give_up_at_)) {
    return std::nullopt;
  }
  counts_until_.reset();
  give_up_at_ = now + max_wait;
  told_of_giving_up_ = false;
  return ++asked_;
}

bool DiskWork::gave_up_usage(MonoTime now) {
  if (asked_ == measured_ || told_of_giving_up_ || now < give_up_at_) {
    return false;
  }
  told_of_giving_up_ = true;
  return true;
}

void DiskWork::usage_measured(std::uint64_t round, MonoTime now) {
  if (round != asked_) {
    return;
  }
  measured_ = round;
  counts_until_ = now + kUsageCounts;
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
  if (!reclaim_->collectors_done || !usage_counts(now)) {
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
  if (asked_ > measured_) {
    note(give_up_at_);
  }
  if (reclaim_) {
    note(reclaim_->deadline);
    if (reclaim_->readings_since) {
      note(*reclaim_->readings_since + kReadingPatience);
    }
  }
  return first;
}

}  // namespace evictd::daemon
