// SPDX-License-Identifier: Apache-2.0
#include "notify/polling_backend.h"

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <algorithm>
#include <cerrno>

#include "evictd/try.h"

namespace evictd::notify {
namespace {

constexpr Duration kPeriod = std::chrono::milliseconds(100);

std::uint32_t position_of(const std::vector<std::uint64_t>& edges, std::uint64_t level) {
  return static_cast<std::uint32_t>(std::upper_bound(edges.begin(), edges.end(), level) -
                                    edges.begin());
}

}  // namespace

Result<std::unique_ptr<PollingBackend>> PollingBackend::create(const core::Clock& clock) {
  EVICTD_ASSIGN_OR_RETURN(base::Timer timer, base::Timer::create());
  return std::unique_ptr<PollingBackend>(new PollingBackend(clock, std::move(timer)));
}

std::uint32_t PollingBackend::signals() const {
  return (1U << EVICTD_NOTIFY_USAGE) | (1U << EVICTD_NOTIFY_MEMSW) |
         (1U << EVICTD_NOTIFY_WORKING_SET) | (1U << EVICTD_NOTIFY_RATE) |
         (1U << EVICTD_NOTIFY_PIDS);
}

Result<CgroupId> PollingBackend::identify(int directory) const {
  struct stat status {};
  struct statfs system {};
  if (::fstat(directory, &status) != 0 || ::fstatfs(directory, &system) != 0) {
    return fail_errno(errno, "look at a cgroup");
  }
  if (status.st_nlink == 0) {
    return fail_errno(ENODEV, "the cgroup was removed");
  }
  // Any number that differs between hierarchies works: each is a filesystem of its own.
  const bool v2 = system.f_type == CGROUP2_SUPER_MAGIC;
  return CgroupId{.hierarchy = v2 ? 0 : static_cast<std::uint32_t>(status.st_dev),
                  .id = status.st_ino};
}

Result<RowId> PollingBackend::watch(const LevelKey& key, int directory,
                                    std::span<const std::uint64_t> edges, const RowId* replaced) {
  EVICTD_ASSIGN_OR_RETURN(LevelFiles files, LevelFiles::open(key, directory));
  EVICTD_ASSIGN_OR_RETURN(const LevelReading reading, files.read(clock_.now()));
  const RowId id = ++last_row_;
  Row row{.key = key,
          .files = std::move(files),
          .edges = {edges.begin(), edges.end()},
          .value = reading.value,
          .position = 0};
  row.position = position_of(row.edges, reading.level);
  Begun begun{.begin = {.row = id, .position = row.position, .value = reading.value},
              .last = std::nullopt};
  if (const auto old = replaced == nullptr ? rows_.end() : rows_.find(*replaced);
      old != rows_.end()) {
    begun.last = RowMove{
        .row = old->first, .position = position_of(old->second.edges, reading.level), .gap = false};
    row.files = std::move(old->second.files);
    rows_.erase(old);
  }
  rows_.emplace(id, std::move(row));
  begun_.push_back(begun);
  timer_.arm(clock_.now());
  return id;
}

void PollingBackend::unwatch(RowId row) {
  rows_.erase(row);
  arm();
}

std::uint64_t PollingBackend::value(RowId row) const {
  const auto found = rows_.find(row);
  return found == rows_.end() ? 0 : found->second.value;
}

void PollingBackend::arm() {
  if (rows_.empty() && begun_.empty()) {
    timer_.disarm();
  } else if (begun_.empty()) {
    timer_.arm(clock_.now() + kPeriod);
  }
}

void PollingBackend::drain(BackendSink& sink) {
  while (!begun_.empty()) {
    const Begun begun = begun_.front();
    begun_.pop_front();
    if (begun.last) {
      sink.on_move(*begun.last);
    }
    sink.on_begin(begun.begin);
  }
  if (!timer_.consume()) {
    return;
  }
  read_rows(sink);
  arm();
}

void PollingBackend::read_rows(BackendSink& sink) {
  std::vector<LevelKey> removed;
  std::vector<RowId> ids;
  for (const auto& [id, row] : rows_) {
    ids.push_back(id);
  }
  for (const RowId id : ids) {
    const auto found = rows_.find(id);
    if (found == rows_.end()) {
      continue;
    }
    Row& row = found->second;
    const Result<LevelReading> reading = row.files.read(clock_.now());
    if (!reading) {
      if (reading.error().sys_errno == ENODEV) {
        removed.push_back(row.key);
      }
      continue;
    }
    row.value = reading->value;
    const std::uint32_t position = position_of(row.edges, reading->level);
    if (position != row.position) {
      row.position = position;
      sink.on_move({.row = id, .position = position, .gap = false});
    }
  }
  // If the cgroup itself is gone, the files of the other controller report it too.
  for (const LevelKey& key : removed) {
    sink.on_removed(key.cgroup, evictd_notify_signals_beside(key.signal));
  }
}

}  // namespace evictd::notify
