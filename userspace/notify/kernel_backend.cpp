// SPDX-License-Identifier: Apache-2.0
#include "notify/kernel_backend.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "notify/skeleton.h"

namespace evictd::notify {
namespace {

template <typename T>
std::uint64_t peek(const T& value) {
  return __atomic_load_n(&value, __ATOMIC_RELAXED);
}

CgroupId id_of(const evictd_cgroup_key& key) {
  return {.hierarchy = key.hierarchy, .id = key.id};
}

bool is_readable(int descriptor) {
  pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
  return ::poll(&ready, 1, 0) > 0;
}

}  // namespace

void KernelBackend::RingDeleter::operator()(ring_buffer* ring) const {
  ring_buffer__free(ring);
}

KernelBackend::KernelBackend(Loaded loaded, const LoadOptions& options)
    : loaded_(std::move(loaded)),
      rows_(options.max_rows),
      room_{.rows = options.max_rows, .edges = options.max_edges},
      edges_(options.max_edges) {
  free_.reserve(options.max_rows);
  for (std::uint32_t row = options.max_rows; row > 0; --row) {
    free_.push_back(row - 1);
  }
}

KernelBackend::~KernelBackend() = default;

Result<std::unique_ptr<KernelBackend>> KernelBackend::create(const LoadOptions& options) {
  Loaded loaded = load(options);
  if (loaded.error) {
    return Failure(*loaded.error);
  }
  std::unique_ptr<KernelBackend> backend(new KernelBackend(std::move(loaded), options));
  backend->ring_.reset(ring_buffer__new(bpf_map__fd(backend->loaded_.skeleton->maps.notify_records),
                                        take, backend.get(), nullptr));
  if (!backend->ring_) {
    return fail_errno(errno, "open the ring of notifications");
  }
  return backend;
}

std::string KernelBackend::name() const {
  return std::string(loaded_.row->hook);
}

int KernelBackend::descriptor() const {
  // The map's own descriptor instead of libbpf's epoll set: one poll less between a record and its
  // reader.
  return bpf_map__fd(loaded_.skeleton->maps.notify_records);
}

evictd_notify_stats KernelBackend::stats() const {
  const evictd_notify_stats& kept = loaded_.skeleton->bss->notify_stats;
  return {.records = peek(kept.records),
          .dropped = peek(kept.dropped),
          .ticks = peek(kept.ticks),
          .fast_ticks = peek(kept.fast_ticks),
          .throttled = peek(kept.throttled),
          .stale = peek(kept.stale),
          .hints = peek(kept.hints),
          .still = peek(kept.still),
          .lost_hints = peek(kept.lost_hints)};
}

int KernelBackend::take(void* self, void* data, std::size_t size) {
  auto& backend = *static_cast<KernelBackend*>(self);
  if (backend.sink_ == nullptr) {
    return backend.turn_.take();
  }
  if (size >= sizeof(evictd_notify_record)) {
    backend.on_record(*static_cast<const evictd_notify_record*>(data), *backend.sink_);
  }
  return backend.turn_.take(backend.sink_->has_enough());
}

void KernelBackend::drain(BackendSink& sink) {
  sink_ = &sink;
  // Read before the ring: the next drain finds later drops.
  const std::uint64_t dropped = peek(loaded_.skeleton->bss->notify_stats.dropped);
  counters_.lost_hints = peek(loaded_.skeleton->bss->notify_stats.lost_hints);
  turn_.begin();
  // Fails only if the callback returns an error, which ours does at the end of its turn.
  static_cast<void>(ring_buffer__consume(ring_.get()));
  sink_ = nullptr;
  // A row whose begin record is still in the ring must not be read before that record. A turn that
  // ended with the last record leaves nothing that would start another one.
  if (dropped != dropped_seen_ && !(turn_.is_cut() && is_readable(descriptor()))) {
    counters_.dropped += dropped - dropped_seen_;
    dropped_seen_ = dropped;
    resync(sink);
  }
}

void KernelBackend::on_record(const evictd_notify_record& record, BackendSink& sink) {
  switch (static_cast<evictd_notify_record_kind>(record.kind)) {
    case EVICTD_NOTIFY_MOVED:
      on_moved(record, sink);
      break;
    case EVICTD_NOTIFY_SWITCHED:
      on_switched(record, sink);
      break;
    case EVICTD_NOTIFY_REMOVED:
      on_removed(id_of(record.cgroup), static_cast<std::uint32_t>(record.value), sink);
      break;
    case EVICTD_NOTIFY_HINT:
      sink.on_approach({.away = Duration(record.value), .cpu = static_cast<int>(record.row)});
      break;
    case EVICTD_NOTIFY_RECORD_KINDS:
      break;
  }
}

/// False for a move that a resync has already included.
bool KernelBackend::accept_moves(Row& row, std::uint64_t moves, bool& gap) const {
  if (moves <= row.moves) {
    return false;
  }
  gap = moves != row.moves + 1;
  row.moves = moves;
  return true;
}

void KernelBackend::on_moved(const evictd_notify_record& record, BackendSink& sink) {
  if (record.row >= rows_.size()) {
    return;
  }
  Row& row = rows_[record.row];
  bool gap = false;
  if (!row.used || row.generation != record.generation || !accept_moves(row, record.moves, gap)) {
    return;
  }
  row.position = record.to;
  sink.on_move({.row = record.row, .position = record.to, .gap = gap});
}

void KernelBackend::on_switched(const evictd_notify_record& record, BackendSink& sink) {
  if (record.replaced != 0 && record.replaced <= rows_.size()) {
    Row& old = rows_[record.replaced - 1];
    bool gap = false;
    if (old.used && (accept_moves(old, record.moves, gap) || old.position != record.to)) {
      old.position = record.to;
      sink.on_move({.row = record.replaced - 1, .position = record.to, .gap = gap});
    }
    if (old.used) {
      forget(old.key.cgroup);
      free_row(record.replaced - 1);
    }
  }
  if (record.row >= rows_.size() || !rows_[record.row].used ||
      rows_[record.row].generation != record.generation) {
    return;
  }
  rows_[record.row].position = record.position;
  sink.on_begin({.row = record.row, .position = record.position, .value = record.value});
}

void KernelBackend::on_removed(CgroupId cgroup, std::uint32_t signals, BackendSink& sink) {
  if (signals == EVICTD_NOTIFY_ALL_SIGNALS) {
    // The kernel program has forgotten the cgroup, unless it was remembered again during the
    // removal.
    forget_all_of(cgroup);
  }
  sink.on_removed(cgroup, signals);
}

/// Records were lost: reads every row again. Records still in the ring are older; their number of
/// moves shows it.
void KernelBackend::resync(BackendSink& sink) {
  ++counters_.resyncs;
  const int map = bpf_map__fd(loaded_.skeleton->maps.notify_rows);
  for (std::uint32_t id = 0; id < rows_.size(); ++id) {
    Row& row = rows_[id];
    evictd_notify_row now{};
    if (!row.used || bpf_map_lookup_elem(map, &id, &now) != 0 || now.generation != row.generation) {
      continue;
    }
    bool gap = false;
    if (accept_moves(row, now.moves, gap)) {
      row.position = now.position;
      sink.on_move({.row = id, .position = now.position, .gap = true});
    }
    if (now.state == EVICTD_NOTIFY_ROW_GONE) {
      sink.on_removed(row.key.cgroup, evictd_notify_signals_beside(row.key.signal));
    }
  }
}

std::uint64_t KernelBackend::value(RowId row) const {
  evictd_notify_row now{};
  const int map = bpf_map__fd(loaded_.skeleton->maps.notify_rows);
  return bpf_map_lookup_elem(map, &row, &now) == 0 ? now.value : 0;
}

std::uint32_t KernelBackend::signals() const {
  return (1U << EVICTD_NOTIFY_USAGE) | (1U << EVICTD_NOTIFY_MEMSW) |
         (1U << EVICTD_NOTIFY_WORKING_SET) | (1U << EVICTD_NOTIFY_RATE) |
         (1U << EVICTD_NOTIFY_PIDS);
}

}  // namespace evictd::notify
