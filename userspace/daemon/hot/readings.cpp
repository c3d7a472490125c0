// SPDX-License-Identifier: Apache-2.0
#include "daemon/hot/readings.h"

#include <algorithm>
#include <array>
#include <optional>

#include "eviction/forecast.h"
#include "eviction/lazy_statistics.h"
#include "eviction/rank.h"
#include "eviction/ranking.h"
#include "poll/growth.h"

namespace evictd::daemon {

namespace {

eviction::Standing standing_of(const HotPod& pod) {
  const enforce::Protection protection = pod.protection_now();
  // A static pod without a manifest is known as static, but its rank is unknown.
  return pod.state == cluster::PodState::kUnknown || protection == enforce::Protection::kUnknown ||
                 protection == enforce::Protection::kOutsideRoot ||
                 protection == enforce::Protection::kOwnProcess
             ? eviction::Standing::kUnknown
             : eviction::Standing::kActive;
}

/// The measurement of `pod`, not of an earlier pod in its slot.
const HotStorage* storage_at(std::span<const base::Loan<HotStorage>> storage, const HotPod& pod) {
  const HotStorage* known = pod.slot < storage.size() ? storage[pod.slot].get() : nullptr;
  return known != nullptr && known->pod == pod.memory_id ? known : nullptr;
}

/// How much of the measurement in progress `storage` has.
eviction::DiskCount count_of(const HotStorage* storage, std::uint64_t round) {
  if (storage == nullptr || storage->round != round) {
    return eviction::DiskCount::kNone;
  }
  return storage->cut_short ? eviction::DiskCount::kPart : eviction::DiskCount::kWhole;
}

void add_storage(const HotStorage* storage, const engine::DiskMeasurement& under_way,
                 eviction::PassPod& pod) {
  // Pods outside the pod root have no measured files.
  if (under_way.round != 0 && pod.facts->below_pod_root) {
    pod.disk_count = count_of(storage, under_way.round);
  }
  if (storage == nullptr) {
    return;
  }
  if (pod.disk_count == eviction::DiskCount::kWhole || under_way.best_known) {
    pod.reading.disk = storage->disk;
  } else if (pod.disk_count == eviction::DiskCount::kPart) {
    pod.reading.disk = storage->counted;
  }
  if (storage->breaches) {
    pod.pod = &storage->description;
    pod.statistics = &storage->statistics;
  }
}

bool threshold_met(const eviction::ThresholdTable& thresholds,
                   const eviction::Observations& observations,
                   bool (*of_interest)(eviction::Signal)) {
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    const eviction::Signal signal = thresholds[i].signal;
    if (of_interest(signal) && observations[signal] &&
        thresholds.met(i, *observations[signal], eviction::MinReclaim::kIgnored)) {
      return true;
    }
  }
  return false;
}

bool is_pids(eviction::Signal signal) {
  return signal == eviction::Signal::kPidAvailable;
}

bool is_node_memory(eviction::Signal signal) {
  return signal == eviction::Signal::kMemoryAvailable;
}

}  // namespace

eviction::PodReading reading_of(const CgroupUsage& usage) {
  eviction::PodReading reading;
  if (!usage.has_memory()) {
    return reading;
  }
  reading.state = eviction::ReadingState::kRead;
  reading.working_set_bytes = usage.working_set().value;
  reading.processes = std::max<std::int64_t>(usage.tasks, 0);
  return reading;
}

Readings::Readings(Options options) : options_(std::move(options)), before_(kMaxPods) {
  pods_.reserve(kMaxPods);
  slots_.reserve(kMaxPods);
  usages_.reserve(kMaxPods);
}

void Readings::read_node_row() {
  const NodeUsage node = options_.table->node();
  node_.at_hand = node.at_hand;
  node_.reserve = node.reserve;
  node_.reserve_rate = node.reserve_rate;
  if (node.usage.value >= 0) {
    node_.usage = node.usage;
    node_.inactive_file = node.inactive_file;
    node_.read_at = node.read_at;
    node_.source = UsageSource::kBpfTable;
  }
}

void Readings::read_node(const Request& request, MonoTime now) {
  // Also if the kernel side cannot reach every NUMA node: its last values are not used.
  const bool files = source_ == ReadingSource::kFiles || options_.table->node().usage.value < 0;
  if (files) {
    static_cast<void>(options_.node_files.read(now, buffer_, node_));
  } else if (request.limits) {
    static_cast<void>(options_.node_files.read_all_but_use(now, buffer_, node_));
  }
  if (request.memory.need_meminfo()) {
    options_.node_files.read_meminfo(buffer_, node_);
    node_.read_at = now;
  }
  if (source_ == ReadingSource::kFiles) {
    node_.at_hand = Bytes{-1};
    node_.reserve = Bytes{-1};
    return;
  }
  read_node_row();
  if (request.limits) {
    // The kernel shows no less than 0 as available, however much more it keeps.
    const bool known = node_.at_hand.value >= 0 && node_.mem_available.value > 0;
    kept_by_kernel_ = known ? std::optional(node_.at_hand - node_.mem_available) : std::nullopt;
  }
  const std::int64_t ids = options_.table->node().tasks;
  // The kernel side counts ids; sessions and groups hold some without a task. That is accurate
  // enough if no threshold depends on it.
  if (!files && !request.limits) {
    node_.tasks =
        request.exact_tasks ? options_.node_files.read_live_tasks(buffer_).value_or(-1) : ids;
  }
  if (node_.tasks < 0) {
    node_.tasks = ids;
  }
}

void Readings::read_exact_values(const Request& request) {
  pod_root_.usage = options_.pod_root_files.read_usage(buffer_);
  if (request.limits || pod_root_.limit.value < 0) {
    pod_root_.limit = options_.pod_root_files.read_limit(buffer_);
  }
  read_node_row();
  observe();
}

bool Readings::bring_up_to_date(const Request& request, MonoTime now) {
  // The guard ranks pods as a met threshold does.
  const bool wanted =
      request.rehearsal || (reserve_ && eviction::guard_is_due(*reserve_)) ||
      (request.thresholds != nullptr &&
       eviction::lazy_statistics_matter(*request.thresholds, observations_, pod_root_));
  if (!wanted || now - flushed_at_ < kFlushedLately) {
    return false;
  }
  options_.pod_root_files.flush_statistics(buffer_);
  flushed_at_ = now;
  return true;
}

void Readings::read_rows(MonoTime now) {
  if (source_ == ReadingSource::kTable && !options_.table->refresh()) {
    source_ = ReadingSource::kFiles;
  }
  const CgroupUsage row =
      source_ == ReadingSource::kTable ? options_.table->row(kPodRootSlot) : CgroupUsage{};
  if (!row.has_memory()) {
    static_cast<void>(options_.pod_root_files.read(now, buffer_, pod_root_));
    return;
  }
  const Bytes limit = row.limit.value >= 0 ? row.limit : pod_root_.limit;
  pod_root_ = row;
  pod_root_.limit = limit;
}

void Readings::read_pod(const HotPod& pod, MonoTime now, CgroupUsage& usage) {
  if (source_ == ReadingSource::kTable) {
    usage = options_.table->row(pod.slot);
    if (usage.has_memory()) {
      return;
    }
  }
  Before& before = before_[pod.slot];
  static_cast<void>(pod.files.opened(HotFiles::Key()).read(now, buffer_, usage));
  if (usage.has_memory()) {
    usage.rate_bytes_per_second =
        before.pod == pod.memory_id && before.read_at != MonoTime{}
            ? poll::growth_per_second(before.usage, before.read_at, usage.usage, usage.read_at)
            : 0;
  }
  before = {.pod = pod.memory_id,
            .usage = usage.usage,
            .read_at = usage.has_memory() ? usage.read_at : MonoTime{}};
}

void Readings::observe() {
  using eviction::Signal;
  observations_[Signal::kMemoryAvailable] = eviction::observe_memory(node_, memory_);
  observations_[Signal::kAllocatableMemoryAvailable] =
      eviction::observe_allocatable_memory(pod_root_);
  observations_[Signal::kPidAvailable] =
      pid_source_ == config::PidAvailableSource::kNode
          ? eviction::observe_pids(node_)
          : eviction::observe_pids(pod_root_, pod_root_max_tasks_);
  if (auto& memory = observations_[Signal::kMemoryAvailable]; memory && reserve_) {
    memory->reserve = reserve_;
    // If swap counts for the kernel and not for the signal, the two differ.
    if (!swap_counts_ || memory_.swap_aware) {
      memory->rate = reserve_->rate;
    }
  }
  if (auto& memory = observations_[Signal::kAllocatableMemoryAvailable]) {
    memory->rate = pod_root_rate_;
  }
}

void Readings::observe_rates(MonoTime now) {
  observe_reserve(now);
  if (pod_root_.source == UsageSource::kBpfTable) {
    // Passes are too rare to tell: there is none before the crossing.
    pod_root_rate_ = std::max<std::int64_t>(0, pod_root_.growth_per_second());
    return;
  }
  const auto pod_root = eviction::observe_allocatable_memory(pod_root_);
  pod_root_rate_ = pod_root ? pod_root_fall_.see(pod_root->available, now) : std::nullopt;
}

void Readings::observe_reserve(MonoTime now) {
  reserve_.reset();
  const std::optional<sys::ReserveTerms> terms =
      options_.guard_terms == nullptr ? std::nullopt : options_.guard_terms->get();
  if (!terms) {
    return;
  }
  swap_counts_ = terms->swap_permille > 0;
  if (node_.reserve.value >= 0) {
    reserve_ = {.left = node_.reserve.value,
                .rate = node_.reserve_rate,
                .tight = terms->watermarks.low.value};
    return;
  }
  if (terms != reserve_terms_) {
    reserve_fall_.forget();
    reserve_terms_ = terms;
  }
  options_.node_files.read_meminfo(buffer_, node_);
  if (const std::optional<Reserve> reserve = reserve_of(node_, *terms)) {
    // The remainder is known even before its rate: the next poll must not wait.
    const std::int64_t rate = reserve_fall_.see(reserve->sum.value, now).value_or(0);
    reserve_ = {.left = reserve->left.value, .rate = rate, .tight = terms->watermarks.low.value};
  }
}

void Readings::observe_disks(eviction::Compat compat, MonoTime now) {
  if (options_.filesystems == nullptr) {
    return;
  }
  eviction::NodeStatistics statistics;
  statistics.node_fs = options_.filesystems->statistics(disk::Role::kNodeFs, now);
  statistics.image_fs = options_.filesystems->statistics(disk::Role::kImageFs, now);
  statistics.container_fs = options_.filesystems->statistics(disk::Role::kContainerFs, now);
  const eviction::Observations seen = eviction::observe(statistics, compat);
  for (const eviction::Signal signal : eviction::kSignals) {
    if (disk::role_of(signal)) {
      observations_[signal] = seen[signal];
    }
  }
}

bool Readings::takes_part(HotPod& pod, MonoTime now) {
  switch (pod.state) {
    case cluster::PodState::kActive:
    case cluster::PodState::kNotYetRead:
    case cluster::PodState::kUnknown:
      return true;
    case cluster::PodState::kEmpty:
      return has_filled(pod, now);
    case cluster::PodState::kTerminated:
    case cluster::PodState::kNoCgroup:
      return false;
  }
  return false;
}

bool Readings::has_filled(HotPod& pod, MonoTime now) {
  CgroupUsage usage;
  if (source_ == ReadingSource::kTable) {
    usage = options_.table->row(pod.slot);
  }
  if (!usage.has_memory()) {
    static_cast<void>(pod.files.opened(HotFiles::Key()).read_live(now, buffer_, usage));
  }
  const bool outgrown = pod.remains.outgrown_by(usage);
  // Charges may come without a process; without a task the pod is empty.
  return outgrown && usage.tasks != 0;
}

void Readings::read(const Request& request, PodSlots& slots,
                    std::span<const base::Loan<HotStorage>> storage, MonoTime now) {
  source_ = request.source;
  pid_source_ = request.pid_source;
  memory_ = request.memory;
  if (request.limits || source_ == ReadingSource::kFiles || pod_root_max_tasks_ < 0) {
    pod_root_max_tasks_ = options_.pod_root_files.read_max_tasks(buffer_);
  }
  if (source_ == ReadingSource::kTable) {
    read_exact_values(request);
    // Before the rows, which show flushed statistics but cannot flush them.
    bring_up_to_date(request, now);
  }
  read_rows(now);
  read_node(request, now);
  observe_rates(now);
  observe();
  if (source_ == ReadingSource::kTable && bring_up_to_date(request, now)) {
    // The known values were too old to show the need.
    read_rows(now);
    observe();
  }
  const bool lazy =
      pod_root_.source == UsageSource::kBpfTable && now - flushed_at_ >= kFlushedLately;
  lazy_error_ = lazy ? eviction::lazy_error(pod_root_, node_) : Bytes{0};
  observe_disks(request.compat, now);
  pods_.clear();
  slots_.clear();
  usages_.clear();
  some_outside_ = false;
  for (const std::uint32_t slot : slots.ordered()) {
    HotPod& pod = *slots.at(slot);
    if (!takes_part(pod, now)) {
      continue;
    }
    CgroupUsage usage;
    read_pod(pod, now, usage);
    some_outside_ = some_outside_ || !pod.below_pod_root;
    slots_.push_back(slot);
    usages_.push_back(usage);
    pods_.push_back({.facts = &pod.facts,
                     .reading = reading_of(usage),
                     .disk_count = eviction::DiskCount::kWhole,
                     .standing = standing_of(pod),
                     .grown = Bytes{0},
                     .pod = nullptr,
                     .statistics = nullptr});
    add_storage(storage_at(storage, pod), request.disk, pods_.back());
  }
}

CgroupUsage Readings::read_one(const HotPod& pod, MonoTime now) {
  CgroupUsage usage;
  if (source_ == ReadingSource::kTable) {
    usage = options_.table->row(pod.slot);
    if (usage.has_memory()) {
      return usage;
    }
  }
  static_cast<void>(pod.files.opened(HotFiles::Key()).read(now, buffer_, usage));
  return usage;
}

void Readings::read_kernel_available() {
  // Reading /proc/meminfo takes longer than a whole ranking. What the kernel keeps becomes less as
  // its caches shrink: an amount that would decide is read. Other rules need more of the file.
  if (kept_by_kernel_ && node_.at_hand.value >= 0 && !memory_.need_meminfo()) {
    node_.mem_available = node_.at_hand - *kept_by_kernel_;
    if (node_.mem_available.value >= observations_[eviction::Signal::kMemoryAvailable]->available) {
      return;
    }
  }
  options_.node_files.read_meminfo(buffer_, node_);
}

void Readings::look_again(const eviction::ThresholdTable& thresholds, const PodSlots& slots,
                          MonoTime now) {
  if (threshold_met(thresholds, observations_, is_pids)) {
    // A limit that was just raised must not cost a pod its life.
    static_cast<void>(options_.node_files.read_max_pid(buffer_, node_));
    pod_root_max_tasks_ = options_.pod_root_files.read_max_tasks(buffer_);
    observe();
  }
  const bool guard = reserve_ && eviction::guard_is_due(*reserve_);
  if (!observations_[eviction::Signal::kMemoryAvailable] ||
      (!guard && !threshold_met(thresholds, observations_, is_node_memory))) {
    return;
  }
  read_kernel_available();
  observations_[eviction::Signal::kMemoryAvailable]->kernel_available =
      eviction::kernel_available(node_, memory_);
  if (!some_outside_) {
    return;  // No candidate is to be read: a ranking ahead of the pass's own would be for nothing.
  }
  for (const std::optional<std::size_t>& index : first_for_memory(eviction::Scope::kNode)) {
    if (!index) {
      continue;
    }
    CgroupUsage fresh;
    const HotPod& pod = *slots.at(slots_[*index]);
    if (!pod.below_pod_root &&
        pod.files.opened(HotFiles::Key()).read(now, buffer_, fresh) == sys::ReadState::kRead) {
      fresh.stall = usages_[*index].stall;
      fresh.rate_bytes_per_second = usages_[*index].rate_bytes_per_second;
      usages_[*index] = fresh;
      const eviction::DiskReading disk = pods_[*index].reading.disk;
      pods_[*index].reading = reading_of(fresh);
      pods_[*index].reading.disk = disk;
    }
  }
}

std::array<std::optional<std::size_t>, Readings::kFreshCandidates> Readings::first_for_memory(
    eviction::Scope scope) const {
  const eviction::RankRule rule{
      .resource = eviction::Resource::kMemory, .parts = {}, .scope = scope};
  std::array<std::optional<std::size_t>, kFreshCandidates> first;
  std::array<eviction::RankKey, kFreshCandidates> keys;
  for (std::size_t i = 0; i < pods_.size(); ++i) {
    if (eviction::passed_over_by(rule, pods_[i]) != eviction::PassOver::kNone) {
      continue;
    }
    std::size_t candidate = i;
    eviction::RankKey key = eviction::rank_key(rule, *pods_[i].facts, pods_[i].reading);
    for (std::size_t place = 0; place < kFreshCandidates; ++place) {
      if (!first[place]) {
        first[place] = candidate;
        keys[place] = key;
        break;
      }
      if (key < keys[place]) {
        std::swap(*first[place], candidate);
        std::swap(keys[place], key);
      }
    }
  }
  return first;
}

}  // namespace evictd::daemon
