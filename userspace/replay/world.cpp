// SPDX-License-Identifier: Apache-2.0
#include "replay/world.h"

#include <algorithm>
#include <utility>

namespace evictd::replay {

namespace {

double held(const RecordedPodPass& pod, bool tasks) {
  return static_cast<double>(tasks ? pod.reading.processes : pod.reading.working_set_bytes);
}

/// An amount of a real node, whatever arithmetic made of it.
std::int64_t rounded(double amount) {
  constexpr double kMost = 4e18;
  return static_cast<std::int64_t>(std::clamp(amount, -kMost, kMost));
}

double towards(double from, double to, double share) {
  return from + (to - from) * share;
}

bool counts_tasks(eviction::Signal signal) {
  return signal == eviction::Signal::kPidAvailable;
}

/// A recorded rate is that of a stretch before the pass: a tenth of a second, up to one at rest.
constexpr Duration kGrowthWindow = std::chrono::seconds(1);

/// Whether the rate of a pod tells how it grows. One of 0 is a rate, with two exceptions: it was
/// not read; or the pod was seen so shortly before that it may have begun to grow since.
bool tells_growth(const CgroupUsage& usage, Duration since_seen) {
  return usage.rate_bytes_per_second > 0 ||
         (usage.read_at != MonoTime{} && since_seen >= kGrowthWindow);
}

/// How victims and refused pods stand is not of the world.
eviction::Standing standing_of(const RecordedPodPass& pod) {
  return pod.standing == eviction::Standing::kUnknown ? eviction::Standing::kUnknown
                                                      : eviction::Standing::kActive;
}

}  // namespace

World::World(const Options& options)
    : options_(options), passes_(&options.parts->passes), disk_(*options.parts, options.files_go) {}

World::Between World::find(MonoTime now) const {
  Between between;
  between.before = options_.parts->place_at(now);
  const MonoTime from = (*passes_)[between.before]->now;
  between.after = from > now ? between.before : std::min(between.before + 1, passes_->size() - 1);
  const MonoTime to = (*passes_)[between.after]->now;
  if (to > from && now > from) {
    between.share = in_seconds(now - from) / in_seconds(to - from);
  }
  return between;
}

double World::recorded(std::size_t pod, const Between& between, bool tasks) const {
  const RecordedPodPass* before = options_.parts->find(*(*passes_)[between.before], pod);
  const RecordedPodPass* after = options_.parts->find(*(*passes_)[between.after], pod);
  return towards(before == nullptr ? 0 : held(*before, tasks),
                 after == nullptr ? 0 : held(*after, tasks), between.share);
}

bool World::let_live_on(std::size_t pod, MonoTime now) {
  const Between between = find(now);
  const RecordedPodPass* last = options_.parts->find(*(*passes_)[between.before], pod);
  if (last == nullptr) {
    return false;
  }
  Spared spared{.since = now,
                .bytes = held(*last, false),
                .tasks = held(*last, true),
                .byte_growth = static_cast<double>(last->usage.rate_bytes_per_second),
                .task_growth = 0,
                .last = *last};
  // What no rate was recorded of grew as it did since the pass before.
  for (std::size_t i = between.before; i-- > 0;) {
    const RecordedPass& pass = *(*passes_)[i];
    const RecordedPodPass* earlier = options_.parts->find(pass, pod);
    if (earlier == nullptr || pass.now >= now) {
      continue;
    }
    const double elapsed = in_seconds(now - pass.now);
    spared.task_growth = (spared.tasks - held(*earlier, true)) / elapsed;
    if (!tells_growth(last->usage, now - pass.now)) {
      spared.byte_growth = (spared.bytes - held(*earlier, false)) / elapsed;
    }
    break;
  }
  spared.byte_growth = std::max(spared.byte_growth, 0.0);
  spared.task_growth = std::max(spared.task_growth, 0.0);
  spared_.emplace(pod, spared);
  disk_.let_live_on(pod, now);
  if (const auto ended = ended_.find(pod); ended != ended_.end()) {
    disk_.end(pod, ended->second);
  }
  return true;
}

void World::end(std::size_t pod, MonoTime kill_at, Fate fate) {
  MonoTime& earliest = ended_.emplace(pod, kill_at).first->second;
  earliest = std::min(earliest, kill_at);
  if (fate == Fate::kOther) {
    disk_.end(pod, earliest);
  }
}

bool World::is_in(eviction::Scope scope, std::size_t pod) const {
  return eviction::frees_in(scope, (*options_.facts)[pod].below_pod_root);
}

std::optional<MonoTime> World::next_end(MonoTime now) const {
  std::optional<MonoTime> next;
  for (const auto& [pod, kill_at] : ended_) {
    if (kill_at > now && (!next || kill_at < *next)) {
      next = kill_at;
    }
  }
  return next;
}

std::optional<MonoTime> World::last_end() const {
  std::optional<MonoTime> last;
  for (const auto& [pod, kill_at] : ended_) {
    last = std::max(last, std::optional(kill_at));
  }
  return last;
}

double World::spared_amount(const Spared& pod, MonoTime now, bool tasks) const {
  const double elapsed = std::max(in_seconds(now - pod.since), 0.0);
  return tasks ? pod.tasks + pod.task_growth * elapsed : pod.bytes + pod.byte_growth * elapsed;
}

double World::surplus(MonoTime now, bool tasks, eviction::Scope scope) const {
  const Between between = find(now);
  double sum = 0;
  for (const auto& [pod, spared] : spared_) {
    if (!is_in(scope, pod)) {
      continue;
    }
    sum +=
        (is_gone(pod, now) ? 0 : spared_amount(spared, now, tasks)) - recorded(pod, between, tasks);
  }
  for (const auto& [pod, kill_at] : ended_) {
    if (kill_at <= now && !spared_.contains(pod) && is_in(scope, pod)) {
      sum -= recorded(pod, between, tasks);
    }
  }
  return sum;
}

bool World::any_living_on() const {
  return std::any_of(spared_.begin(), spared_.end(),
                     [&](const auto& one) { return !ended_.contains(one.first); });
}

std::optional<double> World::available(eviction::Signal signal, MonoTime now) const {
  const Between between = find(now);
  const RecordedPass& before = *(*passes_)[between.before];
  const RecordedPass& after = *(*passes_)[between.after];
  if (!before.observations || !(*before.observations)[signal]) {
    return std::nullopt;
  }
  const auto from = static_cast<double>((*before.observations)[signal]->available);
  const bool has_after = after.observations && (*after.observations)[signal];
  const double to =
      has_after ? static_cast<double>((*after.observations)[signal]->available) : from;
  const double was = towards(from, to, between.share);
  if (eviction::is_disk(signal)) {
    return was - disk_.surplus(signal, now);
  }
  return was - surplus(now, counts_tasks(signal), eviction::scope_of(signal, options_.pid_scope));
}

std::optional<MonoTime> World::falls_below(eviction::Signal signal, double level, MonoTime from,
                                           MonoTime until) const {
  const std::optional<double> before = available(signal, from);
  const std::optional<double> after = available(signal, until);
  if (!before || !after || *before < level || *after >= level) {
    return std::nullopt;
  }
  const auto passed =
      std::chrono::duration<double>(until - from) * ((*before - level) / (*before - *after));
  return from + std::chrono::duration_cast<Duration>(passed);
}

std::optional<MonoTime> World::kill_at(std::size_t pod) const {
  const auto ended = ended_.find(pod);
  return ended == ended_.end() ? std::nullopt : std::optional(ended->second);
}

bool World::is_gone(std::size_t pod, MonoTime now) const {
  const std::optional<MonoTime> at = kill_at(pod);
  return at && *at <= now;
}

void World::add(const RecordedPodPass& pod) {
  const RecordedPod& described = *options_.parts->pods[pod.number];
  const bool checked = described.spec && pod.statistics;
  seen_.pods.push_back({.facts = &(*options_.facts)[pod.number],
                        .reading = pod.reading,
                        .disk_count = pod.disk_count,
                        .standing = pod.standing,
                        .grown = pod.grown,
                        .pod = checked ? &*described.spec : nullptr,
                        .statistics = checked ? &*pod.statistics : nullptr});
  seen_.identities.push_back(options_.parts->identity[pod.number]);
}

void World::add_as_is_now(const RecordedPodPass& pod, const Between& between, MonoTime now) {
  const std::size_t identity = options_.parts->identity[pod.number];
  const auto spared = spared_.find(identity);
  const bool is_spared = spared != spared_.end();
  if (is_spared) {
    // Statistics are those of the last measurement; borrowed from what stays.
    add(spared->second.last);
  } else {
    add(*options_.parts->find(*(*passes_)[between.before], identity));
  }
  eviction::PassPod& added = seen_.pods.back();
  added.standing = standing_of(pod);
  added.reading.working_set_bytes = rounded(is_spared ? spared_amount(spared->second, now, false)
                                                      : recorded(identity, between, false));
  added.reading.processes = rounded(is_spared ? spared_amount(spared->second, now, true)
                                              : recorded(identity, between, true));
}

/// Pods that came between two recorded passes: what they take in the straight line between them is
/// theirs. Their disks are not measured yet.
void World::add_newcomers(const Between& between, MonoTime now) {
  const RecordedPass& before = *(*passes_)[between.before];
  for (const RecordedPodPass& pod : (*passes_)[between.after]->pods) {
    const std::size_t identity = options_.parts->identity[pod.number];
    if (options_.parts->find(before, identity) != nullptr || is_gone(identity, now) ||
        spared_.contains(identity)) {
      continue;
    }
    add(pod);
    eviction::PassPod& added = seen_.pods.back();
    added.standing = standing_of(pod);
    added.reading.working_set_bytes = rounded(recorded(identity, between, false));
    added.reading.processes = rounded(recorded(identity, between, true));
    added.reading.disk = {};
    added.pod = nullptr;
    added.statistics = nullptr;
  }
}

void World::observe(const Between& between, MonoTime now) {
  const RecordedPass& before = *(*passes_)[between.before];
  seen_.observations = before.observations.value_or(eviction::Observations{});
  for (const eviction::Signal signal : eviction::kSignals) {
    auto& seen = seen_.observations[signal];
    if (const std::optional<double> left = available(signal, now); seen && left) {
      const std::int64_t recorded_available =
          std::exchange(seen->available, rounded(std::max(*left, 0.0)));
      seen->time = now;
      if (seen->kernel_available) {
        // What the kernel keeps back of it stays the same.
        *seen->kernel_available = std::max<std::int64_t>(
            0, *seen->kernel_available + (seen->available - recorded_available));
      }
      if (seen->reserve) {
        seen->reserve->left =
            std::max<std::int64_t>(0, seen->reserve->left + (seen->available - recorded_available));
      }
    }
  }
}

const World::Seen& World::look(MonoTime now) {
  const Between between = find(now);
  const RecordedPass& before = *(*passes_)[between.before];
  seen_.pods.clear();
  seen_.identities.clear();
  observe(between, now);
  for (const RecordedPodPass& pod : before.pods) {
    if (!is_gone(options_.parts->identity[pod.number], now)) {
      add_as_is_now(pod, between, now);
    }
  }
  if (between.share > 0) {
    add_newcomers(between, now);
  }
  for (const auto& [identity, spared] : spared_) {
    if (options_.parts->find(before, identity) == nullptr && !is_gone(identity, now)) {
      add_as_is_now(spared.last, between, now);
    }
  }
  return seen_;
}

const World::Seen& World::look_at(const RecordedPass& pass) {
  seen_.pods.clear();
  seen_.identities.clear();
  seen_.observations = pass.observations.value_or(eviction::Observations{});
  for (const RecordedPodPass& pod : pass.pods) {
    add(pod);
  }
  return seen_;
}

}  // namespace evictd::replay
