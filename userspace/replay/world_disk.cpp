// SPDX-License-Identifier: Apache-2.0
#include "replay/world_disk.h"

#include <algorithm>

#include "eviction/rank.h"

namespace evictd::replay {

namespace {

using eviction::Signal;

/// What is freed later than this after a pod's end is not put down to it: twice as long as evictd
/// waits for it.
constexpr Duration kRelease = std::chrono::seconds(60);
/// How far a fall is looked back for.
constexpr Duration kFall = std::chrono::seconds(30);
/// Two looks that are nearer to each other tell no rate. What was read longer before its pass
/// counts as of when it was read.
constexpr Duration kApart = std::chrono::milliseconds(500);
/// Two passes are taken to be so far from each other at least.
constexpr Duration kShortest = std::chrono::microseconds(1);

std::size_t index_of(Signal signal) {
  return static_cast<std::size_t>(signal);
}

std::optional<double> available_of(const std::optional<eviction::Observations>& seen,
                                   Signal signal) {
  return seen && (*seen)[signal] ? std::optional(static_cast<double>((*seen)[signal]->available))
                                 : std::nullopt;
}

/// When the pass saw what it was told of the signal.
MonoTime seen_at(const RecordedPass& pass, Signal signal) {
  const auto& seen = (*pass.observations)[signal];
  return seen && seen->time && pass.now - *seen->time > kApart ? *seen->time : pass.now;
}

std::vector<Signal> disk_signals() {
  std::vector<Signal> signals;
  std::copy_if(eviction::kSignals.begin(), eviction::kSignals.end(), std::back_inserter(signals),
               eviction::is_disk);
  return signals;
}

double usage_of(const RecordedPodPass& pod, Signal signal, eviction::DiskLayout layout) {
  return static_cast<double>(
      eviction::measured_usage(eviction::rank_rule(signal, layout), pod.reading));
}

}  // namespace

WorldDisk::WorldDisk(const Parts& parts, bool files_go)
    : parts_(&parts),
      files_go_(files_go),
      layout_(parts.layout()),
      reclaims_(recorded_reclaims(parts)) {
  for (std::size_t place = 0; place < parts.passes.size(); ++place) {
    const RecordedPass& pass = *parts.passes[place];
    for (const std::size_t pod : signalled_in(pass, parts)) {
      if (!pass.dry_run && !releases_.contains(pod)) {
        add_release(pass, place, pod);
      }
    }
  }
}

void WorldDisk::add_release(const RecordedPass& pass, std::size_t place, std::size_t pod) {
  Release release{.at = pass.now, .held = {}, .freed = {}};
  for (const Signal signal : disk_signals()) {
    const std::size_t i = index_of(signal);
    const auto before = available_of(pass.observations, signal);
    release.held[i] = measured_at(place, pod, signal);
    double most = 0;
    for (std::size_t next = place; before && next < parts_->passes.size(); ++next) {
      const RecordedPass& later = *parts_->passes[next];
      const auto after = available_of(later.observations, signal);
      if (later.now - pass.now > kRelease) {
        break;
      }
      if (!after) {
        continue;
      }
      double by_collectors = 0;
      for (std::size_t run = 0; run < reclaims_.size(); ++run) {
        by_collectors += reclaimed(run, reclaims_[run].begin, signal, later.now) -
                         reclaimed(run, reclaims_[run].begin, signal, pass.now);
      }
      most = std::clamp(*after - *before - by_collectors, most, std::max(release.held[i], most));
      release.freed[i].emplace_back(later.now, most);
    }
  }
  releases_.emplace(pod, std::move(release));
}

double WorldDisk::measured_at(std::size_t place, std::size_t pod, Signal signal) const {
  double most = 0;
  for (std::size_t i = place + 1; i-- > 0;) {
    const RecordedPass& pass = *parts_->passes[i];
    const RecordedPodPass* found = parts_->find(pass, pod);
    if (found == nullptr || parts_->passes[place]->now - pass.now > kFall) {
      break;
    }
    most = std::max(most, usage_of(*found, signal, layout_));
    if (found->disk_count == eviction::DiskCount::kWhole) {
      break;
    }
  }
  return most;
}

double WorldDisk::measured(std::size_t pod, Signal signal, MonoTime now) const {
  return measured_at(parts_->place_at(now), pod, signal);
}

double WorldDisk::recorded(std::size_t pod, Signal signal, MonoTime now) const {
  const auto release = releases_.find(pod);
  if (release == releases_.end() || now < release->second.at) {
    return measured(pod, signal, now);
  }
  const auto& freed = release->second.freed[index_of(signal)];
  const double held = release->second.held[index_of(signal)];
  const auto later = std::upper_bound(freed.begin(), freed.end(), now,
                                      [](MonoTime at, const auto& one) { return at < one.first; });
  if (later == freed.begin()) {
    return held;
  }
  const auto& before = *(later - 1);
  if (later == freed.end()) {
    return held - before.second;
  }
  const double share = in_seconds(now - before.first) / in_seconds(later->first - before.first);
  return held - (before.second + (later->second - before.second) * share);
}

double WorldDisk::freed_share(std::size_t pod, Signal signal) const {
  const auto release = releases_.find(pod);
  if (release == releases_.end()) {
    return files_go_ ? 1 : 0;
  }
  const auto& freed = release->second.freed[index_of(signal)];
  const double held = release->second.held[index_of(signal)];
  return freed.empty() || held <= 0 ? 0 : freed.back().second / held;
}

double WorldDisk::held(std::size_t pod, const Fate& fate, Signal signal, MonoTime now) const {
  const bool gone = fate.kill_at && *fate.kill_at <= now;
  const MonoTime until = gone ? *fate.kill_at : now;
  double amount = 0;
  if (fate.spared) {
    const Release& release = releases_.at(pod);
    amount = release.held[index_of(signal)] +
             fate.growth[index_of(signal)] * std::max(in_seconds(until - release.at), 0.0);
  } else {
    amount = measured(pod, signal, until);
  }
  return gone ? amount * (1 - freed_share(pod, signal)) : amount;
}

/// The complete measurement that the passes before `end` have, which becomes the first of them; of
/// no amount without one.
WorldDisk::Known WorldDisk::known_before(std::size_t pod, Signal signal, std::size_t& end) const {
  Known known;
  for (; end > 0; --end) {
    const RecordedPass& pass = *parts_->passes[end - 1];
    const RecordedPodPass* found = parts_->find(pass, pod);
    if (found != nullptr && found->disk_count != eviction::DiskCount::kWhole) {
      continue;  // It is less than there is.
    }
    const double amount = found == nullptr ? 0 : usage_of(*found, signal, layout_);
    if (amount <= 0 || (known.amount > 0 && amount != known.amount)) {
      break;
    }
    if (known.amount <= 0) {
      known = {.amount = amount, .first = pass.now, .last = pass.now};
    }
    known.first = pass.now;
  }
  return known;
}

/// Passes repeat a measurement until there is another one, and do not tell when it was made. An
/// older one may be of any moment from the first pass that had it to the last. Between what these
/// allow, the rate is that at which the signal fell. Returns -1 without an older one that was known
/// long enough before the newest.
double WorldDisk::measured_growth(std::size_t pod, Signal signal, std::size_t until) const {
  std::size_t end = until + 1;
  const Known newest = known_before(pod, signal, end);
  Known older = known_before(pod, signal, end);
  while (older.amount > 0 && newest.first - older.first < kApart) {
    older = known_before(pod, signal, end);
  }
  if (older.amount <= 0) {
    return -1;
  }
  const double written = std::max(newest.amount - older.amount, 0.0);
  const double slowest = written / in_seconds(newest.first - older.first);
  const double fastest = written / in_seconds(std::max(newest.first - older.last, kShortest));
  return std::clamp(fall_of(signal, until), slowest, std::max(slowest, fastest));
}

double WorldDisk::fall_of(Signal signal, std::size_t until) const {
  const RecordedPass& end = *parts_->passes[until];
  const auto left = available_of(end.observations, signal);
  double fastest = 0;
  double shortly = 0;
  for (std::size_t i = until; left && i-- > 0;) {
    const RecordedPass& pass = *parts_->passes[i];
    const auto before = available_of(pass.observations, signal);
    if (end.now - pass.now > kFall) {
      break;
    }
    if (!before) {
      continue;
    }
    const Duration apart = seen_at(end, signal) - seen_at(pass, signal);
    if (apart > Duration::zero() && *before > *left) {
      const double fall = (*before - *left) / in_seconds(apart);
      // The last one seen is over the longest stretch.
      (apart >= kApart ? fastest : shortly) = apart >= kApart ? std::max(fastest, fall) : fall;
    }
  }
  return fastest > 0 ? fastest : shortly;
}

void WorldDisk::let_live_on(std::size_t pod, MonoTime now) {
  if (!releases_.contains(pod)) {
    return;
  }
  Fate& fate = fates_[pod];
  fate.spared = true;
  const std::size_t until = parts_->place_at(now);
  for (const Signal signal : disk_signals()) {
    double growth = 0;
    if (releases_.at(pod).held[index_of(signal)] > 0) {
      growth = measured_growth(pod, signal, until);
      if (growth < 0) {
        growth = fall_of(signal, until);
        guessed_.insert(pod);
      }
    }
    fate.growth[index_of(signal)] = growth;
  }
}

void WorldDisk::end(std::size_t pod, MonoTime kill_at) {
  fates_[pod].kill_at = kill_at;
}

Duration WorldDisk::begin_reclaim(MonoTime now) {
  if (runs_.size() == reclaims_.size()) {
    ++unknown_reclaims_;
    return Duration::zero();
  }
  runs_.push_back({.begin = now, .place = runs_.size()});
  const RecordedReclaim& recorded = reclaims_[runs_.back().place];
  return recorded.end - recorded.begin;
}

double WorldDisk::reclaimed(std::size_t place, MonoTime begin, Signal signal, MonoTime now) const {
  const RecordedReclaim& recorded = reclaims_[place];
  const auto& before = recorded.before[signal];
  const auto& after = recorded.after[signal];
  if (!before || !after || now < begin) {
    return 0;
  }
  const double freed =
      std::max(static_cast<double>(after->available) - static_cast<double>(before->available), 0.0);
  const double took = in_seconds(recorded.end - recorded.begin);
  return took <= 0 ? freed : freed * std::clamp(in_seconds(now - begin) / took, 0.0, 1.0);
}

double WorldDisk::surplus(Signal signal, MonoTime now) const {
  double sum = 0;
  for (const auto& [pod, fate] : fates_) {
    sum += held(pod, fate, signal, now) - recorded(pod, signal, now);
  }
  for (std::size_t run = 0; run < reclaims_.size(); ++run) {
    sum += reclaimed(run, reclaims_[run].begin, signal, now);
  }
  for (const Run& run : runs_) {
    sum -= reclaimed(run.place, run.begin, signal, now);
  }
  return sum;
}

}  // namespace evictd::replay
