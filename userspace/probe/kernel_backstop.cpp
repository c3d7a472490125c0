// SPDX-License-Identifier: Apache-2.0
#include "probe/kernel_backstop.h"

#include <algorithm>

#include "probe/attach_table.h"
#include "probe/loader.h"
#include "probe/skeleton.h"

namespace evictd::probe {
namespace {

static_assert(BackstopOrder::kMostRivals == EVICTD_BACKSTOP_RIVALS);
static_assert(BackstopOrder::kMostProcesses == EVICTD_BACKSTOP_TASKS);
static_assert(kBackstopSpared == EVICTD_SPARED_REASONS);
static_assert(static_cast<unsigned>(BackstopSpared::kContext) == EVICTD_SPARED_CONTEXT);

/// Claims of that many plans are kept, so that a program which was interrupted long ago cannot
/// claim again.
constexpr std::uint64_t kClaimsKept = 2;

std::uint64_t claim_of(std::uint64_t generation, evictd_backstop_state state) {
  return generation << EVICTD_BACKSTOP_STATE_BITS | state;
}

std::uint32_t key_of(std::uint64_t generation) {
  return EVICTD_BACKSTOP_KEY | static_cast<std::uint32_t>(generation);
}

evictd_contender contender(const BackstopPod& pod) {
  return {.exceeds_from = pod.exceeds_from,
          .lead = pod.lead,
          .memory_id = pod.memory_id,
          .priority = pod.priority,
          .slot = pod.slot};
}

void count(std::atomic<std::uint64_t>& counter) {
  counter.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

std::string_view to_string(BackstopSpared spared) {
  switch (spared) {
    case BackstopSpared::kNot:
      return "";
    case BackstopSpared::kBeyond:
      return "beyond";
    case BackstopSpared::kSlow:
      return "slow";
    case BackstopSpared::kPods:
      return "pods";
    case BackstopSpared::kStale:
      return "stale";
    case BackstopSpared::kSmall:
      return "small";
    case BackstopSpared::kRival:
      return "rival";
    case BackstopSpared::kContext:
      return "context";
  }
  return "";
}

KernelBackstop::KernelBackstop(evictd_bpf& skeleton, std::string_view row, base::KernelClock clock,
                               const DeliveredEvents& delivered)
    : plan_(skeleton.bss->backstop),
      skeleton_(skeleton),
      clock_(clock),
      delivered_(delivered),
      start_program_(bpf_program__fd(row == kFentryListed || row == kTpBtfListed
                                         ? skeleton.progs.backstop_listed_start
                                         : skeleton.progs.backstop_start)),
      claims_(bpf_map__fd(skeleton.maps.compared)) {}

void KernelBackstop::arm(const BackstopOrder& order) {
  if (armed_ || order.rivals.size() > BackstopOrder::kMostRivals) {
    return;
  }
  ++generation_;
  if (claims_ >= 0) {
    const std::uint32_t old = key_of(generation_ - kClaimsKept);
    static_cast<void>(bpf_map_delete_elem(claims_, &old));
  }
  write(order);
  // If it fails, no timer ticks and no process is listed: the hooks look all the same.
  static_cast<void>(run_program(start_program_));
  __atomic_store_n(&plan_.claim, claim_of(generation_, EVICTD_BACKSTOP_ARMED), __ATOMIC_SEQ_CST);
  armed_ = true;
  expires_at_ = order.expires_at;
  count(counters_.armed);
}

/// Not armed: no program reads what is written here, unless it was interrupted before. Then its
/// claim fails.
void KernelBackstop::write(const BackstopOrder& order) {
  constexpr auto kCgroup = static_cast<std::size_t>(EventKind::kCgroup);
  plan_.least_value = order.least_value;
  plan_.most_value = order.most_value;
  plan_.from_value = order.from_value;
  plan_.from_ktime_ns = clock_.ktime_ns(order.from_at);
  plan_.least_rate = order.least_rate;
  plan_.least_working_set = order.least_working_set;
  plan_.cgroup_events =
      delivered_[kCgroup].load(std::memory_order_relaxed) +
      __atomic_load_n(&skeleton_.bss->stats.dropped[EVICTD_EVENT_CGROUP], __ATOMIC_RELAXED);
  plan_.signal = static_cast<std::uint32_t>(order.signal);
  plan_.slot = order.slot;
  plan_.victim = contender(order.victim);
  plan_.rival_count = static_cast<std::uint32_t>(order.rivals.size());
  std::transform(order.rivals.begin(), order.rivals.end(), plan_.rivals, contender);
  plan_.fired_ktime_ns = 0;
  plan_.fired_value = 0;
  plan_.spared = EVICTD_SPARED_NOT;
  plan_.current_result = EVICTD_NOT_SENT;
  plan_.current_pid = 0;
  const std::size_t listed = std::min(order.processes.size(), BackstopOrder::kMostProcesses);
  plan_.task_count = static_cast<std::uint32_t>(listed);
  for (std::size_t i = 0; i < BackstopOrder::kMostProcesses; ++i) {
    const pid_t pid = i < listed ? order.processes[i] : 0;
    plan_.tasks[i] = {
        .start_ns = 0, .pid = static_cast<std::uint32_t>(pid), .result = EVICTD_NOT_SENT};
  }
  // Last, for the timer of the plan before.
  __atomic_store_n(&plan_.expires_ktime_ns, clock_.ktime_ns(order.expires_at), __ATOMIC_RELEASE);
}

bool KernelBackstop::take() {
  if (claims_ >= 0) {
    const std::uint32_t key = key_of(generation_);
    const std::uint32_t one = 1;
    const bool taken = bpf_map_update_elem(claims_, &key, &one, BPF_NOEXIST) == 0;
    if (taken) {
      __atomic_store_n(&plan_.claim, claim_of(generation_, EVICTD_BACKSTOP_TAKEN),
                       __ATOMIC_SEQ_CST);
    }
    return taken;
  }
  auto expected = static_cast<decltype(plan_.claim)>(claim_of(generation_, EVICTD_BACKSTOP_ARMED));
  return __atomic_compare_exchange_n(
      &plan_.claim, &expected,
      static_cast<decltype(plan_.claim)>(claim_of(generation_, EVICTD_BACKSTOP_TAKEN)), false,
      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

std::optional<BackstopFiring> KernelBackstop::disarm(MonoTime now) {
  if (!armed_) {
    return std::nullopt;
  }
  armed_ = false;
  const bool taken = take();
  __atomic_store_n(&plan_.expires_ktime_ns, 0, __ATOMIC_RELAXED);
  if (!taken) {
    count(counters_.fired);
    return read_firing();
  }
  count(now < expires_at_ ? counters_.taken : counters_.expired);
  const std::uint32_t spared = __atomic_load_n(&plan_.spared, __ATOMIC_RELAXED);
  if (spared != EVICTD_SPARED_NOT && spared < EVICTD_SPARED_REASONS) {
    count(counters_.spared[spared]);
  }
  return std::nullopt;
}

/// The kernel side may still be sending signals on another CPU. What is missing then is only
/// missing in the record: user space signals every process that it finds.
BackstopFiring KernelBackstop::read_firing() {
  BackstopFiring firing{
      .at = clock_.moment(__atomic_load_n(&plan_.fired_ktime_ns, __ATOMIC_RELAXED))};
  add_answer(firing, __atomic_load_n(&plan_.current_result, __ATOMIC_RELAXED));
  const std::uint32_t running = __atomic_load_n(&plan_.current_pid, __ATOMIC_RELAXED);
  const std::size_t listed = std::min<std::size_t>(
      __atomic_load_n(&plan_.task_count, __ATOMIC_RELAXED), BackstopOrder::kMostProcesses);
  for (std::size_t i = 0; i < listed; ++i) {
    const std::int32_t result = __atomic_load_n(&plan_.tasks[i].result, __ATOMIC_RELAXED);
    add_answer(firing, result);
    firing.left_out += result == EVICTD_NOT_SENT &&
                               __atomic_load_n(&plan_.tasks[i].pid, __ATOMIC_RELAXED) != running
                           ? 1
                           : 0;
  }
  return firing;
}

void KernelBackstop::add_answer(BackstopFiring& firing, std::int32_t code) {
  if (code == EVICTD_NOT_SENT) {
    return;
  }
  count(code == 0 ? counters_.signals : counters_.refused_signals);
  for (std::size_t i = 0; i < firing.answer_count; ++i) {
    if (firing.answers[i].code == code) {
      ++firing.answers[i].count;
      return;
    }
  }
  if (firing.answer_count < BackstopFiring::kMostAnswers) {
    firing.answers[firing.answer_count++] = {.code = code, .count = 1};
  }
}

BackstopCounters KernelBackstop::counters() const {
  const auto read = [](const std::atomic<std::uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
  };
  BackstopCounters seen{.armed = read(counters_.armed),
                        .fired = read(counters_.fired),
                        .taken = read(counters_.taken),
                        .expired = read(counters_.expired),
                        .spared = {},
                        .signals = read(counters_.signals),
                        .refused_signals = read(counters_.refused_signals)};
  std::transform(counters_.spared.begin(), counters_.spared.end(), seen.spared.begin(), read);
  return seen;
}

}  // namespace evictd::probe
