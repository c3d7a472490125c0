// SPDX-License-Identifier: Apache-2.0
#include "replay/world.h"

#include <algorithm>

namespace evictd::replay {

namespace {

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

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

}  // namespace

World::World(const std::vector<const RecordedPod*>& pods,
             const std::vector<const RecordedPass*>& passes)
    : pods_(&pods), passes_(&passes) {}

World::Between World::find(MonoTime now) const {
  const auto later =
      std::upper_bound(passes_->begin(), passes_->end(), now,
                       [](MonoTime at, const RecordedPass* pass) { return at < pass->now; });
  const auto after = static_cast<std::size_t>(later - passes_->begin());
  Between between;
  between.before = after == 0 ? 0 : after - 1;
  between.after = std::min(after, passes_->size() - 1);
  const MonoTime from = (*passes_)[between.before]->now;
  const MonoTime to = (*passes_)[between.after]->now;
  if (to > from && now > from) {
    between.share = seconds(now - from) / seconds(to - from);
  }
  return between;
}

const RecordedPodPass* World::find_pod(const RecordedPass& pass, std::size_t pod) {
  const auto found = std::find_if(pass.pods.begin(), pass.pods.end(),
                                  [&](const RecordedPodPass& one) { return one.number == pod; });
  return found == pass.pods.end() ? nullptr : &*found;
}

double World::recorded(std::size_t pod, const Between& between, bool tasks) const {
  const RecordedPodPass* before = find_pod(*(*passes_)[between.before], pod);
  const RecordedPodPass* after = find_pod(*(*passes_)[between.after], pod);
  return towards(before == nullptr ? 0 : held(*before, tasks),
                 after == nullptr ? 0 : held(*after, tasks), between.share);
}

void World::spare(std::size_t pod, MonoTime now) {
  const Between between = find(now);
  const RecordedPodPass* last = find_pod(*(*passes_)[between.before], pod);
  if (last == nullptr) {
    return;
  }
  Spared spared{.since = now,
                .bytes = held(*last, false),
                .tasks = held(*last, true),
                .byte_growth = static_cast<double>(last->usage.rate_bytes_per_second),
                .task_growth = 0};
  // What no rate was recorded of grew as it did since the pass before.
  for (std::size_t i = between.before; i-- > 0;) {
    const RecordedPass& pass = *(*passes_)[i];
    const RecordedPodPass* earlier = find_pod(pass, pod);
    if (earlier == nullptr || pass.now >= now) {
      continue;
    }
    const double elapsed = seconds(now - pass.now);
    spared.task_growth = (spared.tasks - held(*earlier, true)) / elapsed;
    if (spared.byte_growth <= 0) {
      spared.byte_growth = (spared.bytes - held(*earlier, false)) / elapsed;
    }
    break;
  }
  spared.byte_growth = std::max(spared.byte_growth, 0.0);
  spared.task_growth = std::max(spared.task_growth, 0.0);
  spared_.emplace(pod, spared);
}

void World::end(std::size_t pod, eviction::Standing grace, MonoTime kill_at) {
  ended_[pod] = Ended{.kill_at = kill_at, .standing = grace};
}

std::optional<MonoTime> World::next_end(MonoTime now) const {
  std::optional<MonoTime> next;
  for (const auto& [pod, ended] : ended_) {
    if (ended.kill_at > now && (!next || ended.kill_at < *next)) {
      next = ended.kill_at;
    }
  }
  return next;
}

double World::spared_amount(const Spared& pod, MonoTime now, bool tasks) const {
  const double elapsed = std::max(seconds(now - pod.since), 0.0);
  return tasks ? pod.tasks + pod.task_growth * elapsed : pod.bytes + pod.byte_growth * elapsed;
}

double World::surplus(MonoTime now, bool tasks) const {
  const Between between = find(now);
  double sum = 0;
  for (const auto& [pod, spared] : spared_) {
    const auto ended = ended_.find(pod);
    const bool gone = ended != ended_.end() && ended->second.kill_at <= now;
    sum += (gone ? 0 : spared_amount(spared, now, tasks)) - recorded(pod, between, tasks);
  }
  for (const auto& [pod, ended] : ended_) {
    if (ended.kill_at <= now && !spared_.contains(pod)) {
      sum -= recorded(pod, between, tasks);
    }
  }
  return sum;
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
  // What pods leave behind on disks is not known to be theirs.
  return eviction::is_memory(signal) || counts_tasks(signal)
             ? was - surplus(now, counts_tasks(signal))
             : was;
}

eviction::Standing World::standing_of(const RecordedPodPass& pod, MonoTime now) const {
  const auto ended = ended_.find(pod.number);
  if (ended != ended_.end()) {
    return ended->second.kill_at <= now ? eviction::Standing::kKilled : ended->second.standing;
  }
  return pod.standing == eviction::Standing::kUnknown ? eviction::Standing::kUnknown
                                                      : eviction::Standing::kActive;
}

const World::Seen& World::look(MonoTime now) {
  const Between between = find(now);
  const RecordedPass& before = *(*passes_)[between.before];
  seen_.pods.clear();
  seen_.numbers.clear();
  seen_.observations = before.observations.value_or(eviction::Observations{});
  for (const eviction::Signal signal : eviction::kSignals) {
    auto& seen = seen_.observations[signal];
    if (const std::optional<double> left = available(signal, now); seen && left) {
      seen->available = rounded(std::max(*left, 0.0));
      seen->time = now;
    }
  }
  const auto add = [&](RecordedPodPass pod) {
    const auto spared = spared_.find(pod.number);
    const bool is_spared = spared != spared_.end();
    pod.reading.working_set_bytes = rounded(is_spared ? spared_amount(spared->second, now, false)
                                                      : recorded(pod.number, between, false));
    pod.reading.processes = rounded(is_spared ? spared_amount(spared->second, now, true)
                                              : recorded(pod.number, between, true));
    const RecordedPod& facts = *(*pods_)[pod.number];
    seen_.pods.push_back({.facts = &facts.facts,
                          .reading = pod.reading,
                          .standing = standing_of(pod, now),
                          .pod = nullptr,
                          .statistics = nullptr});
    seen_.numbers.push_back(pod.number);
  };
  for (const RecordedPodPass& pod : before.pods) {
    const auto ended = ended_.find(pod.number);
    if (ended == ended_.end() || ended->second.kill_at > now) {
      add(pod);
    }
  }
  for (const auto& [number, spared] : spared_) {
    const auto ended = ended_.find(number);
    if (find_pod(before, number) == nullptr &&
        (ended == ended_.end() || ended->second.kill_at > now)) {
      RecordedPodPass pod;
      pod.number = number;
      pod.reading.state = eviction::ReadingState::kRead;
      add(pod);
    }
  }
  return seen_;
}

}  // namespace evictd::replay
