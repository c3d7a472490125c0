// SPDX-License-Identifier: Apache-2.0
#include "disk/filesystems.h"

#include <algorithm>
#include <utility>

#include "evictd/try.h"

namespace evictd::disk {

namespace {

/// A thread of ordinary priority on a busy node may be late by this much.
constexpr Duration kLateness = std::chrono::seconds(1);

Duration stale_after(const SamplingOptions& sampling) {
  return 2 * sampling.longest + kLateness;
}

}  // namespace

Result<std::unique_ptr<Filesystems>> Filesystems::start(const Options& options) {
  std::unique_ptr<Filesystems> filesystems(new Filesystems(options.places));
  EVICTD_ASSIGN_OR_RETURN(base::WakeUp wake, base::WakeUp::create());
  filesystems->wake_ = std::make_shared<const base::WakeUp>(std::move(wake));
  filesystems->stale_after_ns_.store(stale_after(options.watch.sampling).count());
  EVICTD_TRY(filesystems->start_samplers(options));
  return filesystems;
}

Result<> Filesystems::start_samplers(const Options& options) {
  for (const Role role : kAllRoles) {
    const auto index = static_cast<std::size_t>(role);
    const Place& place = places_[index];
    const auto same = std::find_if(sampled_.begin(), sampled_.end(), [&](const Sampled& one) {
      return one.place.device == place.device;
    });
    of_role_[index] = static_cast<std::size_t>(same - sampled_.begin());
    if (same == sampled_.end()) {
      sampled_.push_back({.place = place, .roles = {}, .sampler = nullptr});
    }
    sampled_[of_role_[index]].roles.push_back(role);
  }
  for (Sampled& one : sampled_) {
    EVICTD_ASSIGN_OR_RETURN(one.sampler, Sampler::start({.path = one.place.mount_point,
                                                         .roles = one.roles,
                                                         .watch = options.watch,
                                                         .wake = wake_}));
  }
  return {};
}

void Filesystems::await_first(MonoTime end) const {
  for (const Sampled& one : sampled_) {
    one.sampler->await_first(end);
  }
}

std::optional<eviction::FilesystemStatistics> Filesystems::statistics(Role role,
                                                                      MonoTime now) const {
  const std::optional<FilesystemReading> reading =
      sampled_[of_role_[static_cast<std::size_t>(role)]].sampler->cell().load();
  if (!reading || now - reading->read_at > Duration(stale_after_ns_.load())) {
    return std::nullopt;
  }
  eviction::FilesystemStatistics statistics;
  statistics.time = reading->read_at;
  statistics.available_bytes = static_cast<std::uint64_t>(reading->available_bytes);
  statistics.capacity_bytes = static_cast<std::uint64_t>(reading->capacity_bytes);
  if (reading->inodes != 0) {
    statistics.inodes_free = static_cast<std::uint64_t>(reading->inodes_free);
    statistics.inodes = static_cast<std::uint64_t>(reading->inodes);
  }
  return statistics;
}

std::optional<MonoTime> Filesystems::full_at(Role role, bool inodes) const {
  const std::optional<FilesystemReading> reading =
      sampled_[of_role_[static_cast<std::size_t>(role)]].sampler->cell().load();
  return reading ? disk::full_at(*reading, inodes) : std::nullopt;
}

std::optional<MonoTime> Filesystems::all_asked_at() const {
  std::optional<MonoTime> oldest;
  for (const Sampled& one : sampled_) {
    const std::optional<FilesystemReading> reading = one.sampler->cell().load();
    if (!reading) {
      return std::nullopt;
    }
    oldest = oldest ? std::min(*oldest, reading->asked_at) : reading->asked_at;
  }
  return oldest;
}

void Filesystems::request() const {
  for (const Sampled& one : sampled_) {
    one.sampler->request();
  }
}

void Filesystems::request_newer(Role role) const {
  sampled_[of_role_[static_cast<std::size_t>(role)]].sampler->request_newer();
}

void Filesystems::set_watch(const SampleWatch& watch) {
  stale_after_ns_.store(stale_after(watch.sampling).count());
  for (Sampled& one : sampled_) {
    one.sampler->set_watch(watch);
  }
}

std::vector<FilesystemReport> Filesystems::report(MonoTime now) const {
  std::vector<FilesystemReport> reports;
  for (const Sampled& one : sampled_) {
    FilesystemReport report{
        .place = one.place, .roles = one.roles, .sampler = one.sampler->report(), .stale = false};
    const auto& reading = report.sampler.reading;
    report.stale = reading && now - reading->read_at > Duration(stale_after_ns_.load());
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace evictd::disk
