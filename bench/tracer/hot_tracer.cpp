// SPDX-License-Identifier: Apache-2.0
#include "tracer/hot_tracer.h"

#include <bpf/libbpf.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "bpf/hot_trace.h"
#include "evictd_bench_tracer.skel.h"
#include "stage/text_file.h"

namespace evictd::bench {
namespace {

constexpr const char* kHotThread = "evictd-hot\n";

struct TracerDeleter {
  void operator()(evictd_bench_tracer* skeleton) const { evictd_bench_tracer__destroy(skeleton); }
};

MonoTime moment(std::uint64_t ktime_ns) {
  return MonoTime{Duration{static_cast<Duration::rep>(ktime_ns)}};
}

HotCall hot_call(const evictd_bench_call& call) {
  const std::string_view file{call.file, ::strnlen(call.file, sizeof call.file)};
  return {.kind = kind_of(call.number, file),
          .enter = moment(call.enter_ns),
          .exit = moment(call.exit_ns)};
}

}  // namespace

Result<pid_t> hot_thread_of(pid_t pid) {
  const std::filesystem::path tasks = std::filesystem::path{"/proc"} / std::to_string(pid) / "task";
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator(tasks, ignored)) {
    if (stage::read_text(task.path() / "comm").value_or(std::string{}) == kHotThread) {
      return stage::parse_number(task.path().filename().string()).map([](std::int64_t thread) {
        return static_cast<pid_t>(thread);
      });
    }
  }
  return fail(Errc::kNotFound, "the process " + std::to_string(pid) + " has no hot thread");
}

struct HotTracer::State {
  std::unique_ptr<evictd_bench_tracer, TracerDeleter> skeleton;

  [[nodiscard]] evictd_bench_hot_trace& shared() const { return skeleton->bss->hot_trace; }
};

Result<HotTracer> HotTracer::create() {
  auto state = std::make_unique<State>();
  state->skeleton.reset(evictd_bench_tracer__open());
  if (!state->skeleton) {
    return fail_errno(errno, "open the tracer's programs");
  }
  if (const int failed = evictd_bench_tracer__load(state->skeleton.get()); failed != 0) {
    return fail_errno(-failed, "load the tracer's programs");
  }
  if (const int failed = evictd_bench_tracer__attach(state->skeleton.get()); failed != 0) {
    return fail_errno(-failed, "attach the tracer's programs");
  }
  return HotTracer{std::move(state)};
}

HotTracer::HotTracer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HotTracer::HotTracer(HotTracer&&) noexcept = default;
HotTracer& HotTracer::operator=(HotTracer&&) noexcept = default;
HotTracer::~HotTracer() = default;

void HotTracer::arm(pid_t thread, pid_t victim) {
  evictd_bench_hot_trace& shared = state_->shared();
  std::atomic_ref<std::uint32_t>{shared.armed}.store(0);
  shared.thread = static_cast<std::uint32_t>(thread);
  shared.victim = static_cast<std::uint32_t>(victim);
  shared.ended = 0;
  shared.inside = 0;
  shared.count = 0;
  shared.sigkill_ns = 0;
  std::atomic_ref<std::uint32_t>{shared.armed}.store(1);
}

std::optional<HotTrace> HotTracer::disarm() {
  evictd_bench_hot_trace& shared = state_->shared();
  std::atomic_ref<std::uint32_t>{shared.armed}.store(0);
  if (std::atomic_ref<std::uint32_t>{shared.ended}.load() == 0) {
    return std::nullopt;
  }
  HotTrace trace;
  trace.sigkill = moment(shared.sigkill_ns);
  const std::uint64_t kept = std::min<std::uint64_t>(shared.count, EVICTD_BENCH_CALLS);
  for (std::uint64_t n = shared.count - kept; n < shared.count; ++n) {
    trace.calls.push_back(hot_call(shared.calls[n % EVICTD_BENCH_CALLS]));
  }
  return trace;
}

}  // namespace evictd::bench
