// SPDX-License-Identifier: Apache-2.0
#include "daemon/storage/storage_keeping.h"
#include "daemon/records/duration_numbers.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "cluster/named_container.h"
#include "evictd/try.h"
#include "eviction/local_storage.h"

namespace evictd::daemon {

namespace {

disk::PodDirectories directories_of(const config::StorageSettings& storage) {
  return {.kubelet_root = storage.kubelet_root_directory, .pod_logs = storage.pod_logs_directory};
}

/// Bytes of everything that counts against the pod's own limit, as far as measured.
std::uint64_t ephemeral_bytes(const eviction::Pod& pod, const eviction::PodStatistics& statistics) {
  const eviction::DiskReading disk = eviction::reading_of(statistics, pod).disk;
  return static_cast<std::uint64_t>(disk.root_bytes + disk.log_bytes + disk.volume_bytes);
}

/// The containers of a pod, by name if the status in its manifest has them.
std::vector<disk::ContainerPlace> places_of(const cluster::PodEntry& entry,
                                            const sys::Hierarchy& memory) {
  std::vector<disk::ContainerPlace> places;
  if (!entry.cgroup) {
    return places;
  }
  const std::vector<cluster::NamedContainer> named = cluster::named_containers(entry);
  for (const cluster::ContainerCgroup& container : entry.cgroup->containers) {
    const auto found = std::find_if(named.begin(), named.end(),
                                    [&](const auto& one) { return one.path == container.path; });
    places.push_back({.cgroup = memory.path_of(container.path),
                      .name = found == named.end() ? std::string() : found->name});
  }
  return places;
}

eviction::DiskReading most_of(const eviction::DiskReading& one,
                              const eviction::DiskReading& other) {
  return {.root_bytes = std::max(one.root_bytes, other.root_bytes),
          .root_inodes = std::max(one.root_inodes, other.root_inodes),
          .log_bytes = std::max(one.log_bytes, other.log_bytes),
          .log_inodes = std::max(one.log_inodes, other.log_inodes),
          .volume_bytes = std::max(one.volume_bytes, other.volume_bytes),
          .volume_inodes = std::max(one.volume_inodes, other.volume_inodes)};
}

}  // namespace

Result<std::unique_ptr<StorageKeeping>> StorageKeeping::create(ServiceContext& context,
                                                               RecordsService& records,
                                                               ReleaseWorker& releaser,
                                                               OnReleased on_released) {
  std::unique_ptr<StorageKeeping> keeping(
      new StorageKeeping(context, records, releaser, std::move(on_released)));
  const config::StorageSettings& storage = context.settings().storage;
  EVICTD_ASSIGN_OR_RETURN(
      keeping->worker_,
      StorageWorker::start({.directories = directories_of(storage),
                            .entries_per_second = storage.pods.entries_per_second}));
  EVICTD_ASSIGN_OR_RETURN(keeping->collectors_, CollectorWorker::start());
  return keeping;
}

void StorageKeeping::reload() {
  worker_->set_pace(context_.settings().storage.pods.entries_per_second);
  next_measurement_.reset();
}

std::vector<int> StorageKeeping::descriptors() const {
  return {worker_->descriptor(), collectors_->descriptor()};
}

void StorageKeeping::on_answers() {
  while (std::optional<StorageAnswer> answer = worker_->take()) {
    std::visit([this](auto& one) { take(one); }, *answer);
  }
  while (const std::optional<CollectorsEnd> ended = collectors_->take()) {
    take(*ended);
  }
}

void StorageKeeping::on_health_check(MonoTime now) {
  if ((!next_measurement_ || now >= *next_measurement_) && !worker_->measuring()) {
    start_measurement(0);
    next_measurement_ = now + context_.settings().storage.pods.interval;
  }
  check_releases(now);
}

void StorageKeeping::start_measurement(std::uint64_t round) {
  const sys::Hierarchy& memory = context_.registry->tree().layout().memory();
  StorageSurvey::Request request{.round = round,
                                 .pods = {},
                                 .telling = round == 0 ? StorageSurvey::Telling::kWholePods
                                                       : StorageSurvey::Telling::kAsItComes};
  for (const PodRegistry::Listed& listed : context_.registry->list()) {
    if (listed.hot != nullptr && listed.hot->below_pod_root) {
      request.pods.push_back(
          {.uid = listed.entry->uid, .containers = places_of(*listed.entry, memory)});
    }
  }
  // Usage of pods that were never measured is unknown: they come first.
  std::stable_partition(
      request.pods.begin(), request.pods.end(),
      [&](const disk::PodToMeasure& pod) { return !measured_.contains(pod.uid); });
  worker_->measure(std::move(request));
}

void StorageKeeping::measure(const engine::MeasurePods& wanted) {
  awaited_round_ = wanted.round;
  start_measurement(wanted.round);
}

void StorageKeeping::collect(const engine::RunCollectors& wanted) {
  const config::StorageSettings& storage = context_.settings().storage;
  std::vector<CollectorJob> jobs;
  for (const eviction::Collector collector : wanted.collectors) {
    const config::ReclaimCommand& command = collector == eviction::Collector::kContainers
                                                ? storage.reclaim_containers
                                                : storage.reclaim_images;
    if (!command.argv.empty()) {
      jobs.push_back({.collector = collector, .argv = command.argv, .timeout = command.timeout});
    }
  }
  collector_runs_.begin(wanted.round, jobs);
  collectors_->run(wanted.round, std::move(jobs));
}

void StorageKeeping::take(MeasuredPods& measured) {
  Storages newer;
  for (disk::PodStorage& storage : measured.pods) {
    std::string uid = storage.uid;
    newer.insert_or_assign(std::move(uid), std::move(storage));
  }
  for (const PodRegistry::Listed& listed : context_.registry->list()) {
    const auto found = newer.find(listed.entry->uid);
    if (listed.hot != nullptr && found != newer.end()) {
      send_measurement(listed, found->second, measured.round);
    }
  }
  if (measured.under_way) {
    keep_whole_measurements(std::move(newer));
  } else {
    replace_measurements(measured, std::move(newer));
  }
  if (awaited_round_ != 0 && measured.round == awaited_round_) {
    awaited_round_ = measured.under_way ? awaited_round_ : 0;
    context_.backlog.send(
        engine::PodsMeasured{.round = measured.round, .under_way = measured.under_way});
  }
}

/// Results of a walk in progress do not replace a whole measurement.
void StorageKeeping::keep_whole_measurements(Storages&& newer) {
  for (auto& [uid, storage] : newer) {
    if (!storage.cut_short) {
      measured_.insert_or_assign(uid, std::move(storage));
    }
  }
}

void StorageKeeping::replace_measurements(const MeasuredPods& measured, Storages newer) {
  ++counters_.measurements;
  last_took_ = measured.ended_at - measured.began_at;
  counters_.incomplete += static_cast<std::uint64_t>(std::count_if(
      newer.begin(), newer.end(), [](const auto& one) { return !one.second.complete; }));
  measured_ = std::move(newer);
}

eviction::DiskReading StorageKeeping::disk_reading(const cluster::PodEntry& entry,
                                                   const disk::PodStorage& storage) {
  if (!entry.pod.volumes.empty() || entry.origin != cluster::PodOrigin::kPath) {
    return eviction::reading_of(storage.statistics, entry.pod).disk;
  }
  // Without a manifest its directories show its volumes.
  eviction::Pod described = entry.pod;
  described.volumes = storage.volumes;
  return eviction::reading_of(storage.statistics, described).disk;
}

void StorageKeeping::send_measurement(const PodRegistry::Listed& listed, disk::PodStorage& storage,
                                      std::uint64_t round) {
  const eviction::Pod& pod = listed.entry->pod;
  storage.statistics.ephemeral_bytes = ephemeral_bytes(pod, storage.statistics);
  auto hot = std::make_unique<HotStorage>();
  hot->pod = listed.hot->memory_id;
  hot->measured_at = storage.measured_at;
  hot->method = storage.method;
  hot->complete = storage.complete;
  hot->round = round;
  hot->cut_short = storage.cut_short;
  hot->counted = disk_reading(*listed.entry, storage);
  hot->disk = hot->counted;
  if (const auto before = measured_.find(storage.uid);
      storage.cut_short && before != measured_.end()) {
    hot->disk = most_of(hot->counted, disk_reading(*listed.entry, before->second));
  }
  const config::Settings& settings = context_.settings();
  hot->breaches =
      settings.storage.local_storage_capacity_isolation && listed.hot->facts.has_local_limits &&
      eviction::local_storage_breach(pod, storage.statistics, context_.filesystems->layout(),
                                     settings.compatibility)
          .has_value();
  if (hot->breaches) {
    hot->description = pod;
    hot->statistics = storage.statistics;
  }
  context_.backlog.send(UseStorage{
      .slot = listed.hot->slot,
      .storage = context_.loans->lend<HotStorage>(
          std::move(hot), [this](const HotStorage& returned) { records_.forget(returned); })});
}

void StorageKeeping::take(const CollectorsEnd& ended) {
  for (const CollectorEnd& one : ended.ends) {
    ++counters_.collector_runs;
    const std::string name(eviction::to_string(one.collector));
    if (!one.end || !one.end->succeeded()) {
      ++counters_.collector_failures;
      context_.log->warn("the command that collects " + name +
                             " failed: " + (one.end ? one.end->text() : one.end.error().message()) +
                             ", continuing without what it would have freed",
                         {{"output", one.end ? one.end->output : std::string()}});
    } else {
      context_.log->info("collected " + name,
                         {{"ms", to_ms(one.took)}, {"output", one.end->output}});
    }
  }
  collector_runs_.end(ended);
  context_.backlog.send(engine::CollectorsDone{.round = ended.round});
}

const disk::PodStorage* StorageKeeping::storage_of(std::string_view uid) const {
  const auto found = measured_.find(uid);
  return found == measured_.end() ? nullptr : &found->second;
}

}  // namespace evictd::daemon
