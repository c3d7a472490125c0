// SPDX-License-Identifier: Apache-2.0
#include "observer/observer.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "bpf/observation.h"
#include "evictd_bench_observer.skel.h"

namespace evictd::bench {
namespace {

using Observation = evictd_bench_observation;

struct SkeletonDeleter {
  void operator()(evictd_bench_observer* skeleton) const {
    evictd_bench_observer__destroy(skeleton);
  }
};
using Skeleton = std::unique_ptr<evictd_bench_observer, SkeletonDeleter>;

std::uint32_t count_nodes() {
  std::uint32_t nodes = 0;
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator("/sys/devices/system/node", ignored)) {
    const std::string name = entry.path().filename();
    nodes += name.starts_with("node") && name.size() > 4 ? 1U : 0U;
  }
  return nodes == 0 ? 1 : nodes;
}

std::optional<MonoTime> stamp(std::uint64_t ktime_ns) {
  if (ktime_ns == 0) {
    return std::nullopt;
  }
  return MonoTime{Duration{static_cast<Duration::rep>(ktime_ns)}};
}

/// Loads with exactly one of the two page hooks.
Result<Skeleton> load(bool per_page) {
  Skeleton skeleton{evictd_bench_observer__open()};
  if (!skeleton) {
    return fail_errno(errno, "open the observer's programs");
  }
  bpf_program__set_autoload(skeleton->progs.observe_page, per_page);
  bpf_program__set_autoload(skeleton->progs.observe_page_in, per_page);
  bpf_program__set_autoload(skeleton->progs.observe_charge, !per_page);
  if (const int failed = evictd_bench_observer__load(skeleton.get()); failed != 0) {
    return fail_errno(-failed, "load the observer's programs");
  }
  if (const int failed = evictd_bench_observer__attach(skeleton.get()); failed != 0) {
    return fail_errno(-failed, "attach the observer's programs");
  }
  return skeleton;
}

/// Silences libbpf, which reports on stderr why the first of the two hooks does not load.
int discard(enum libbpf_print_level /*level*/, const char* /*format*/, va_list /*arguments*/) {
  return 0;
}

}  // namespace

struct Observer::State {
  Skeleton skeleton;
  Observation* shared = nullptr;
  std::size_t mapped_bytes = 0;
  std::uint32_t nodes = 1;
  bool per_page = true;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (shared != nullptr) {
      ::munmap(shared, mapped_bytes);
    }
  }
};

Result<Observer> Observer::create() {
  libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
  const libbpf_print_fn_t printer = libbpf_set_print(discard);
  auto state = std::make_unique<State>();
  Result<Skeleton> skeleton = load(true);
  if (!skeleton) {
    state->per_page = false;
    skeleton = load(false);
  }
  libbpf_set_print(printer);
  if (!skeleton) {
    return tl::unexpected(skeleton.error());
  }
  state->skeleton = std::move(*skeleton);
  state->nodes = count_nodes();
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  state->mapped_bytes = (sizeof(Observation) + page - 1) / page * page;
  void* mapped = ::mmap(nullptr, state->mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                        bpf_map__fd(state->skeleton->maps.observation), 0);
  if (mapped == MAP_FAILED) {
    return fail_errno(errno, "map the observer's observation");
  }
  state->shared = static_cast<Observation*>(mapped);
  return Observer{std::move(state)};
}

Observer::Observer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Observer::Observer(Observer&&) noexcept = default;
Observer& Observer::operator=(Observer&&) noexcept = default;
Observer::~Observer() = default;

void Observer::arm(const ObserverLevel& level) {
  Observation& shared = *state_->shared;
  std::atomic_ref<std::uint32_t>{shared.armed}.store(0);
  Observation fresh{};
  fresh.memcg_id = level.memcg_id;
  fresh.level_bytes = level.level.value;
  fresh.victim_tgid = static_cast<std::uint32_t>(level.victim);
  fresh.node_count = state_->nodes;
  std::memcpy(&shared, &fresh, sizeof(fresh));
  std::atomic_ref<std::uint32_t>{shared.armed}.store(1);
}

ObserverReading Observer::disarm() {
  Observation& shared = *state_->shared;
  std::atomic_ref<std::uint32_t>{shared.armed}.store(0);
  Observation seen{};
  std::memcpy(&seen, &shared, sizeof(seen));
  ObserverReading reading;
  reading.crossed = stamp(seen.crossed_ns);
  reading.sigkill = stamp(seen.sigkill_ns);
  reading.sigkill_returned = stamp(seen.sigkill_returned_ns);
  reading.by_kernel = seen.by_kernel != 0;
  reading.at_sigkill = Bytes{seen.sigkill_bytes};
  reading.furthest = Bytes{seen.furthest_bytes};
  reading.pages_seen = seen.pages_seen;
  return reading;
}

const char* Observer::hook() const {
  return state_->per_page ? "tp_btf count_memcg_events and mod_memcg_lruvec_state"
                          : "fentry page_counter_try_charge";
}

}  // namespace evictd::bench
