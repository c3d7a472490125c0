// SPDX-License-Identifier: Apache-2.0
// Creates, exchanges and removes rows of the kernel programs.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <numeric>

#include "base/fd.h"
#include "evictd/try.h"
#include "notify/kernel_backend.h"
#include "notify/skeleton.h"
#include "probe/libbpf_log.h"

namespace evictd::notify {
namespace {

/// A task that moves a row holds it for a microsecond, or until it gets the CPU again.
constexpr int kTries = 10000;
constexpr int kYields = 100;
/// From then on it sleeps: yielding gives the CPU to no thread of lower priority, and that may be
/// the holder.
constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 50'000};

void let_others_run(int tries) {
  if (tries < kYields) {
    ::sched_yield();
  } else {
    ::clock_nanosleep(CLOCK_MONOTONIC, 0, &kPause, nullptr);
  }
}

bool on_v2(const evictd_notify_resolved& where) {
  return where.cgroup.hierarchy == 0;
}

bool counts_memory(evictd_notify_signal signal) {
  return signal != EVICTD_NOTIFY_PIDS;
}

/// 0, or the errno why `signal` cannot be watched there.
int problem_of(evictd_notify_signal signal, const evictd_notify_resolved& where) {
  const bool there = counts_memory(signal) ? where.memory_counter != 0 : where.pids_counter != 0;
  if (!there) {
    return on_v2(where) ? EOPNOTSUPP : ENOTDIR;
  }
  // A kernel program cannot read the machine's swap.
  return where.level == 0 && signal == EVICTD_NOTIFY_MEMSW ? EOPNOTSUPP : 0;
}

/// The counters whose charges move the row: the one of its value first.
std::array<std::uint64_t, 2> counters_of(evictd_notify_signal signal,
                                         const evictd_notify_resolved& where) {
  switch (signal) {
    case EVICTD_NOTIFY_PIDS:
      return {where.pids_counter, 0};
    case EVICTD_NOTIFY_MEMSW:
      if (on_v2(where)) {
        return {where.memory_counter, where.swap_counter};
      }
      return {where.swap_counter, 0};
    default:
      return {where.memory_counter, 0};
  }
}

std::uint64_t second_of(evictd_notify_signal signal, const evictd_notify_resolved& where) {
  if (signal == EVICTD_NOTIFY_WORKING_SET) {
    return where.inactive_file;
  }
  return signal == EVICTD_NOTIFY_MEMSW && on_v2(where) ? where.swap_counter : 0;
}

Result<evictd_notify_resolved> read_iterator(int stream) {
  evictd_notify_resolved resolved{};
  const ssize_t size = ::read(stream, &resolved, sizeof(resolved));
  if (size < 0) {
    return fail_errno(errno, "read the cgroup iterator");
  }
  if (size != sizeof(resolved)) {
    return fail_errno(ENODEV, "the cgroup was removed");
  }
  return resolved;
}

}  // namespace

Result<evictd_notify_resolved> KernelBackend::resolve(int directory) const {
  // A removed cgroup is normal here and must not appear on stderr.
  const probe::LibbpfLog silence;
  bpf_iter_link_info info{};
  info.cgroup.order = BPF_CGROUP_ITER_SELF_ONLY;
  info.cgroup.cgroup_fd = static_cast<std::uint32_t>(directory);
  bpf_iter_attach_opts attach{};
  attach.sz = sizeof(attach);
  attach.link_info = &info;
  attach.link_info_len = sizeof(info);
  const Link link(bpf_program__attach_iter(loaded_.skeleton->progs.notify_resolve, &attach));
  if (!link) {
    return fail_errno(errno == ENOENT || errno == EBADF ? ENODEV : errno,
                      "attach the cgroup iterator");
  }
  const base::Fd stream(bpf_iter_create(bpf_link__fd(link.get())));
  if (!stream) {
    return fail_errno(errno, "start the cgroup iterator");
  }
  return read_iterator(stream.get());
}

Result<CgroupId> KernelBackend::identify(int directory) const {
  EVICTD_ASSIGN_OR_RETURN(const evictd_notify_resolved where, resolve(directory));
  return CgroupId{.hierarchy = where.cgroup.hierarchy, .id = where.cgroup.id};
}

Result<RowId> KernelBackend::take_row() {
  if (free_.empty()) {
    return fail_errno(ENOSPC, "all rows are in use");
  }
  const RowId id = free_.back();
  free_.pop_back();
  Row& row = rows_[id];
  const std::uint32_t generation = row.generation + 1;
  row = Row{};
  row.generation = generation;
  row.used = true;
  return id;
}

void KernelBackend::free_row(RowId id) {
  Row& row = rows_[id];
  edges_.give_back(row.edges);
  row.edges = {};
  row.used = false;
  free_.push_back(id);
}

Result<> KernelBackend::write_row(RowId id, const evictd_notify_resolved& where,
                                  std::span<const std::uint64_t> edges) {
  Row& row = rows_[id];
  const std::optional<EdgeRange> range = edges_.take(static_cast<std::uint32_t>(edges.size()));
  if (!range) {
    return fail_errno(ENOSPC, "all places for thresholds are in use");
  }
  row.edges = *range;
  std::vector<std::uint32_t> places(edges.size());
  std::iota(places.begin(), places.end(), range->first);
  auto count = static_cast<std::uint32_t>(edges.size());
  const int edge_map = bpf_map__fd(loaded_.skeleton->maps.notify_edges);
  if (count != 0 &&
      bpf_map_update_batch(edge_map, places.data(), edges.data(), &count, nullptr) != 0) {
    return fail_errno(errno, "write thresholds");
  }
  evictd_notify_row image{};
  image.cgroup = where.cgroup;
  image.counter = row.counters[0];
  image.second = second_of(row.key.signal, where);
  image.signal = row.key.signal;
  image.unit = row.key.unit;
  image.machine = where.level == 0 ? 1 : 0;
  image.generation = row.generation;
  image.first = range->first;
  image.count = range->count;
  const int row_map = bpf_map__fd(loaded_.skeleton->maps.notify_rows);
  if (bpf_map_update_elem(row_map, &id, &image, BPF_ANY) != 0) {
    return fail_errno(errno, "write a row");
  }
  return {};
}

Result<> KernelBackend::attach_to_counters(RowId id) const {
  const int map = bpf_map__fd(loaded_.skeleton->maps.notify_counters);
  for (const std::uint64_t address : rows_[id].counters) {
    if (address == 0) {
      continue;
    }
    evictd_notify_counter counter{};
    static_cast<void>(bpf_map_lookup_elem(map, &address, &counter));
    auto* place = std::find(std::begin(counter.rows), std::end(counter.rows), 0U);
    if (place == std::end(counter.rows)) {
      return fail_errno(ENOSPC, "too many rows on one counter");
    }
    *place = id + 1;
    if (bpf_map_update_elem(map, &address, &counter, BPF_ANY) != 0) {
      return fail_errno(errno == E2BIG ? ENOSPC : errno, "write a counter");
    }
  }
  return {};
}

void KernelBackend::take_down(RowId id) const {
  const int map = bpf_map__fd(loaded_.skeleton->maps.notify_counters);
  for (const std::uint64_t address : rows_[id].counters) {
    evictd_notify_counter counter{};
    if (address == 0 || bpf_map_lookup_elem(map, &address, &counter) != 0) {
      continue;
    }
    std::replace(std::begin(counter.rows), std::end(counter.rows), id + 1, 0U);
    const bool empty = std::all_of(std::begin(counter.rows), std::end(counter.rows),
                                   [](std::uint32_t row) { return row == 0; });
    if (empty) {
      static_cast<void>(bpf_map_delete_elem(map, &address));
    } else {
      static_cast<void>(bpf_map_update_elem(map, &address, &counter, BPF_EXIST));
    }
  }
}

Result<> KernelBackend::remember(const evictd_notify_resolved& where) {
  const evictd_notify_cgroup known{.memory_counter = where.memory_counter,
                                   .swap_counter = where.swap_counter,
                                   .pids_counter = where.pids_counter};
  const int map = bpf_map__fd(loaded_.skeleton->maps.notify_cgroups);
  if (bpf_map_update_elem(map, &where.cgroup, &known, BPF_ANY) != 0) {
    return fail_errno(errno == E2BIG ? ENOSPC : errno, "write a cgroup");
  }
  ++known_[{.hierarchy = where.cgroup.hierarchy, .id = where.cgroup.id}];
  return {};
}

void KernelBackend::forget(CgroupId cgroup) {
  const auto known = known_.find(cgroup);
  if (known == known_.end() || --known->second != 0) {
    return;
  }
  forget_all_of(cgroup);
}

void KernelBackend::forget_all_of(CgroupId cgroup) {
  const evictd_cgroup_key key{.id = cgroup.id, .hierarchy = cgroup.hierarchy, .pad = 0};
  static_cast<void>(bpf_map_delete_elem(bpf_map__fd(loaded_.skeleton->maps.notify_cgroups), &key));
  known_.erase(cgroup);
}

Result<> KernelBackend::run(int program, std::uint32_t old_row, std::uint32_t next_row) const {
  for (int i = 0; i < kTries; ++i) {
    evictd_notify_switch order{.old = old_row, .next = next_row};
    bpf_test_run_opts options{};
    options.sz = sizeof(options);
    options.ctx_in = &order;
    options.ctx_size_in = sizeof(order);
    const int error = bpf_prog_test_run_opts(program, &options);
    if (error != 0) {
      return fail_errno(-error, "run a kernel program");
    }
    const int result = -static_cast<int>(options.retval);
    if (result == 0) {
      return {};
    }
    if (result != EBUSY) {
      return fail_errno(result, "kernel program");
    }
    let_others_run(i);
  }
  return fail_errno(EBUSY, "kernel program");
}

void KernelBackend::update_limits() {
  auto& bss = *loaded_.skeleton->bss;
  std::uint32_t limit = 0;
  std::uint32_t swap = 0;
  std::uint32_t tasks = 0;
  for (std::uint32_t id = 0; id < rows_.size(); ++id) {
    const Row& row = rows_[id];
    if (row.used) {
      limit = id + 1;
      swap += row.key.signal == EVICTD_NOTIFY_MEMSW ? 1 : 0;
      tasks += row.key.signal == EVICTD_NOTIFY_PIDS ? 1 : 0;
    }
  }
  bss.notify_swap_rows = swap;
  bss.notify_task_rows = tasks;
  // In this order: a last tick clears `armed` before it reads the limit again.
  __atomic_store_n(&bss.notify_row_limit, limit, __ATOMIC_SEQ_CST);
  if (limit != 0 && __atomic_load_n(&bss.notify_schedule.pace.armed, __ATOMIC_SEQ_CST) == 0) {
    static_cast<void>(run(bpf_program__fd(loaded_.skeleton->progs.notify_start_timer), 0, 0));
  }
}

Result<RowId> KernelBackend::watch(const LevelKey& key, int directory,
                                   std::span<const std::uint64_t> edges, const RowId* replaced) {
  EVICTD_ASSIGN_OR_RETURN(const evictd_notify_resolved where, resolve(directory));
  if (const int problem = problem_of(key.signal, where); problem != 0) {
    return fail_errno(problem, "watch a cgroup");
  }
  EVICTD_ASSIGN_OR_RETURN(const RowId id, take_row());
  Row& row = rows_[id];
  row.key = key;
  row.counters = counters_of(key.signal, where);
  row.behind = key.signal == EVICTD_NOTIFY_WORKING_SET && where.level != 0;
  Result<> done = write_row(id, where, edges);
  const Result<> remembered = done ? remember(where) : done;
  // Next to the row that it replaces, which sees every charge until the switch.
  done = remembered ? attach_to_counters(id) : remembered;
  if (done) {
    update_limits();
    const auto& programs = loaded_.skeleton->progs;
    done = replaced != nullptr ? run(bpf_program__fd(programs.notify_switch), *replaced + 1, id + 1)
                               : run(bpf_program__fd(programs.notify_begin), 0, id + 1);
  }
  if (!done) {
    take_down(id);
    if (remembered) {
      forget(key.cgroup);
    }
    free_row(id);
    update_limits();
    return Failure(done.error());
  }
  if (replaced != nullptr) {
    take_down(*replaced);
  }
  return id;
}

void KernelBackend::unwatch(RowId row) {
  if (row >= rows_.size() || !rows_[row].used) {
    return;
  }
  take_down(row);
  static_cast<void>(run(bpf_program__fd(loaded_.skeleton->progs.notify_end), row + 1, 0));
  forget(rows_[row].key.cgroup);
  free_row(row);
  update_limits();
}

}  // namespace evictd::notify
