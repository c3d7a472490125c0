// SPDX-License-Identifier: Apache-2.0
#include "probe/probe.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <numeric>
#include <optional>
#include <string_view>

#include "base/kernel_clock.h"
#include "evictd/try.h"
#include "probe/decode.h"
#include "probe/kernel_backstop.h"
#include "probe/kernel_symbols.h"
#include "probe/loader.h"
#include "probe/row_table.h"
#include "probe/skeleton.h"
#include "probe/timer_age.h"
#include "probe/watch_registry.h"

namespace evictd::probe {
namespace {

struct RingDeleter {
  void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
};

template <typename T>
std::uint64_t peek(const T& value) {
  return __atomic_load_n(&value, __ATOMIC_RELAXED);
}

/// Takes what is thrown away on purpose, so that it is counted by the kind that it had.
class Discard final : public EventSink {
 public:
  void on_threshold(const ThresholdCrossed& /*event*/) override {}
  void on_stall(const StallRising& /*event*/) override {}
  void on_cgroup(const CgroupChanged& /*event*/) override {}
  void on_oom_kill(const OomKill& /*event*/) override {}
  void on_approach(const Approach& /*event*/) override {}
};

}  // namespace

struct Probe::Impl {
  explicit Impl(LoadOutcome outcome, const Options& options)
      : clock(outcome.clock),
        ladder(std::move(outcome.ladder)),
        skeleton(std::move(outcome.skeleton)),
        links(std::move(outcome.links)),
        sums_zones(!ladder.chosen(Purpose::kNodeAvailable).empty()),
        registry(*skeleton, options),
        base_period(options.sweep.base_period),
        drop_all_events(options.drop_all_events) {
    if (const std::string_view row = ladder.chosen(Purpose::kBackstop); !row.empty()) {
      backstop.emplace(*skeleton, row, clock, delivered);
    }
  }

  static int take(void* self, void* record, std::size_t size);
  void throw_away(const void* record, std::size_t size);
  void look_for_free_swap();
  [[nodiscard]] std::uint64_t dropped_total() const;

  const base::KernelClock clock;
  // Members are destroyed in reverse order: links before their programs.
  const Ladder ladder;
  const Skeleton skeleton;
  const std::vector<Link> links;
  /// Whether the node's memory at hand may be summed.
  const bool sums_zones;
  RowTable rows;
  WatchRegistry registry;
  std::unique_ptr<ring_buffer, RingDeleter> ring;
  const Duration base_period;
  const bool drop_all_events;
  bool looked_for_free_swap = false;

  // Written by the hot thread.
  EventSink* sink = nullptr;
  std::uint32_t delivered_now = 0;
  std::uint64_t dropped_seen = 0;
  std::array<std::atomic<std::uint64_t>, kEventKinds> delivered{};
  /// Dropped because of drop_all_events.
  std::array<std::atomic<std::uint64_t>, kEventKinds> thrown_away{};
  std::atomic<std::uint64_t> malformed = 0;
  std::optional<KernelBackstop> backstop;
};

int Probe::Impl::take(void* self, void* record, std::size_t size) {
  auto& impl = *static_cast<Impl*>(self);
  if (impl.drop_all_events) {
    impl.throw_away(record, size);
    return 0;
  }
  const Decoded decoded = decode(record, size, impl.clock, *impl.sink);
  if (!decoded.ok) {
    impl.malformed.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  impl.delivered[static_cast<std::size_t>(decoded.kind)].fetch_add(1, std::memory_order_relaxed);
  ++impl.delivered_now;
  return 0;
}

void Probe::Impl::throw_away(const void* record, std::size_t size) {
  Discard nobody;
  const Decoded decoded = decode(record, size, clock, nobody);
  if (decoded.ok) {
    thrown_away[static_cast<std::size_t>(decoded.kind)].fetch_add(1, std::memory_order_relaxed);
  } else {
    malformed.fetch_add(1, std::memory_order_relaxed);
  }
}

/// Once, and only where swap counts: it takes longer than all else that loading does in user space.
void Probe::Impl::look_for_free_swap() {
  if (!std::exchange(looked_for_free_swap, true)) {
    __atomic_store_n(&skeleton->bss->nr_swap_pages_address,
                     address_of_kernel_symbol("nr_swap_pages"), __ATOMIC_RELEASE);
  }
}

std::uint64_t Probe::Impl::dropped_total() const {
  std::uint64_t total = 0;
  for (const auto& dropped : skeleton->bss->stats.dropped) {
    total += peek(dropped);
  }
  return total;
}

std::uint64_t Counters::dropped_total() const {
  return std::accumulate(dropped.begin(), dropped.end(), std::uint64_t{0});
}

Probe::Probe(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Probe::~Probe() = default;

Result<std::unique_ptr<Probe>> Probe::load(const Options& options) {
  LoadOutcome outcome = load_programs(options);
  if (outcome.error) {
    return fail_in("load the kernel side", *outcome.error);
  }
  if (!outcome.ladder.detects()) {
    return fail(Errc::kUnsupported, "load the kernel side: no hook notices a crossing");
  }
  auto impl = std::make_unique<Impl>(std::move(outcome), options);
  EVICTD_ASSIGN_OR_RETURN(impl->rows, RowTable::map(bpf_map__fd(impl->skeleton->maps.rows),
                                                    options.max_slots, impl->clock));
  impl->ring.reset(
      ring_buffer__new(bpf_map__fd(impl->skeleton->maps.events), Impl::take, impl.get(), nullptr));
  if (!impl->ring) {
    return fail_errno(errno, "open the event ring");
  }
  return std::unique_ptr<Probe>(new Probe(std::move(impl)));
}

Ladder Probe::examine(const Options& options) {
  return load_programs(options).ladder;
}

const Ladder& Probe::ladder() const {
  return impl_->ladder;
}

int Probe::event_fd() const {
  return ring_buffer__epoll_fd(impl_->ring.get());
}

Drained Probe::drain(EventSink& sink) {
  impl_->sink = &sink;
  impl_->delivered_now = 0;
  // Fails only if a callback fails, and this one does not.
  static_cast<void>(ring_buffer__consume(impl_->ring.get()));
  impl_->sink = nullptr;
  const std::uint64_t dropped = impl_->drop_all_events ? 0 : impl_->dropped_total();
  const std::uint64_t newly = dropped - impl_->dropped_seen;
  impl_->dropped_seen = dropped;
  return {.delivered = impl_->delivered_now, .newly_dropped = newly};
}

Result<> Probe::refresh() {
  return run_program(bpf_program__fd(impl_->skeleton->progs.sweep_refresh));
}

Result<> Probe::resync() {
  return run_program(bpf_program__fd(impl_->skeleton->progs.sweep_resync));
}

CgroupUsage Probe::row(std::uint32_t slot) const {
  return impl_->rows.read(slot, impl_->registry.generation(slot));
}

NodeUsage Probe::node() const {
  const evictd_node& node = impl_->skeleton->bss->node;
  NodeUsage usage;
  usage.source = UsageSource::kBpfTable;
  usage.read_at = impl_->clock.moment(peek(node.ktime_ns));
  if (peek(node.nodes) != 0) {
    usage.usage = Bytes{static_cast<std::int64_t>(peek(node.usage_bytes))};
    usage.inactive_file = Bytes{static_cast<std::int64_t>(peek(node.inactive_file_bytes))};
  }
  if (peek(node.zones) != 0) {
    usage.at_hand = Bytes{static_cast<std::int64_t>(peek(node.at_hand_bytes))};
  }
  if (knows_reserve()) {
    usage.reserve = Bytes{static_cast<std::int64_t>(peek(node.reserve_bytes))};
    usage.reserve_rate = static_cast<std::int64_t>(peek(node.reserve_rate));
  }
  if (peek(node.tasks) != 0) {
    usage.tasks = static_cast<std::int64_t>(peek(node.tasks));
  }
  return usage;
}

bool Probe::knows_reserve() const {
  const auto& data = *impl_->skeleton->bss;
  return impl_->sums_zones && peek(data.node.zones) != 0 && peek(data.guard.min_pages) != 0 &&
         (peek(data.nr_swap_pages_address) != 0 || peek(data.guard.swap_per_1024) == 0);
}

void Probe::set_guard(const GuardTerms& terms) {
  if (terms.swap_permille > 0) {
    impl_->look_for_free_swap();
  }
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  constexpr std::int64_t kPermille = 1000;
  constexpr std::int64_t kShares = 1024;
  evictd_guard& guard = impl_->skeleton->bss->guard;
  const auto store = [](auto& value, std::uint64_t number) {
    __atomic_store_n(&value, number, __ATOMIC_RELAXED);
  };
  __atomic_add_fetch(&guard.generation, 1, __ATOMIC_RELEASE);
  store(guard.low_pages, static_cast<std::uint64_t>(terms.low.value) / page);
  store(guard.swap_per_1024, static_cast<std::uint64_t>(terms.swap_permille * kShares / kPermille));
  store(guard.horizon_ns, static_cast<std::uint64_t>(terms.horizon.count()));
  store(guard.tight_horizon_ns, static_cast<std::uint64_t>(terms.tight_horizon.count()));
  store(guard.min_pages, static_cast<std::uint64_t>(terms.min.value) / page);
  __atomic_add_fetch(&guard.generation, 1, __ATOMIC_RELEASE);
}

Backstop* Probe::backstop() {
  return impl_->backstop ? &*impl_->backstop : nullptr;
}

const Backstop* Probe::backstop() const {
  return impl_->backstop ? &*impl_->backstop : nullptr;
}

bool Probe::timer_stalled(MonoTime now) const {
  return !impl_->ladder.chosen(Purpose::kSweepTimer).empty() &&
         stands_still(impl_->clock.moment(peek(impl_->skeleton->bss->stats.last_tick_ktime_ns)),
                      impl_->base_period, now);
}

Counters Probe::counters() const {
  const evictd_stats& stats = impl_->skeleton->bss->stats;
  Counters counters;
  for (const evictd_cpu_stats& of_cpu : impl_->skeleton->bss->cpu_stats) {
    counters.kicks += peek(of_cpu.kicks);
    counters.charges += peek(of_cpu.charges);
    counters.forks += peek(of_cpu.forks);
  }
  for (std::size_t kind = 0; kind < kEventKinds; ++kind) {
    counters.emitted[kind] = peek(stats.emitted[kind]);
    counters.dropped[kind] =
        peek(stats.dropped[kind]) + impl_->thrown_away[kind].load(std::memory_order_relaxed);
    counters.delivered[kind] = impl_->delivered[kind].load(std::memory_order_relaxed);
  }
  counters.malformed = impl_->malformed.load(std::memory_order_relaxed);
  counters.ticks = peek(stats.ticks);
  counters.fast_ticks = peek(stats.fast_ticks);
  counters.throttled = peek(stats.throttled);
  counters.stale_rows = peek(stats.stale_rows);
  counters.dying_rows = peek(stats.dying_rows);
  counters.last_tick = impl_->clock.moment(peek(stats.last_tick_ktime_ns));
  return counters;
}

Result<> Probe::set_roots(std::span<const CgroupId> roots) {
  return impl_->registry.set_roots(roots);
}

Result<std::uint32_t> Probe::watch(std::uint32_t slot, const PodCgroup& pod) {
  return impl_->registry.watch(slot, pod, resolve(pod));
}

PodCounters Probe::resolve(const PodCgroup& pod) const {
  return impl_->registry.resolve(pod);
}

Result<std::uint32_t> Probe::watch(std::uint32_t slot, const PodCgroup& pod,
                                   const PodCounters& counters) {
  return impl_->registry.watch(slot, pod, counters);
}

Result<> Probe::unwatch(std::uint32_t slot) {
  return impl_->registry.unwatch(slot);
}

Result<std::vector<std::uint64_t>> Probe::set_thresholds(
    std::span<const WatchedThreshold> thresholds) {
  return impl_->registry.set_thresholds(thresholds);
}

Result<> Probe::locate_nodes() {
  return probe::locate_nodes(*impl_->skeleton);
}

std::vector<ProgramCounters> Probe::program_counters() const {
  std::vector<ProgramCounters> all;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, impl_->skeleton->obj) {
    bpf_prog_info info{};
    std::uint32_t size = sizeof(info);
    const int fd = bpf_program__fd(program);
    if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size) != 0) {
      continue;
    }
    all.push_back({.program = bpf_program__name(program),
                   .id = info.id,
                   .runs = info.run_cnt,
                   .run_time = Duration{static_cast<std::int64_t>(info.run_time_ns)},
                   .recursion_misses = info.recursion_misses});
  }
  return all;
}

}  // namespace evictd::probe
