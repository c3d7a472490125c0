// SPDX-License-Identifier: Apache-2.0
#include "idle/timer_softirq.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <cerrno>
#include <cstdint>
#include <utility>
#include <vector>

#include "evictd_bench_softirq.skel.h"

namespace evictd::bench {
namespace {

/// Layout of the BPF program's record.
struct SoftirqTime {
  std::uint64_t ns = 0;
  std::uint64_t count = 0;
};

}  // namespace

struct TimerSoftirq::State {
  evictd_bench_softirq* skeleton = nullptr;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { evictd_bench_softirq__destroy(skeleton); }
};

TimerSoftirq::TimerSoftirq(std::unique_ptr<State> state) : state_(std::move(state)) {}
TimerSoftirq::TimerSoftirq(TimerSoftirq&&) noexcept = default;
TimerSoftirq& TimerSoftirq::operator=(TimerSoftirq&&) noexcept = default;
TimerSoftirq::~TimerSoftirq() = default;

Result<TimerSoftirq> TimerSoftirq::create() {
  auto state = std::make_unique<State>();
  state->skeleton = evictd_bench_softirq__open_and_load();
  if (state->skeleton == nullptr) {
    return fail_errno(errno, "load the softirq programs");
  }
  if (const int failed = evictd_bench_softirq__attach(state->skeleton); failed != 0) {
    return fail_errno(-failed, "attach the softirq programs");
  }
  return TimerSoftirq{std::move(state)};
}

Duration TimerSoftirq::spent() const {
  const int cpus = ::libbpf_num_possible_cpus();
  std::vector<SoftirqTime> per_cpu(static_cast<std::size_t>(cpus > 0 ? cpus : 1));
  const std::uint32_t key = 0;
  ::bpf_map_lookup_elem(bpf_map__fd(state_->skeleton->maps.spent), &key, per_cpu.data());
  std::uint64_t sum = 0;
  for (const SoftirqTime& one : per_cpu) {
    sum += one.ns;
  }
  return Duration{static_cast<Duration::rep>(sum)};
}

}  // namespace evictd::bench
