// SPDX-License-Identifier: Apache-2.0
#include "tracer/steps.h"

#include <sys/syscall.h>

#include <algorithm>

namespace evictd::bench {
namespace {

CallKind kind_of_read(std::string_view file) {
  if (file == "memory.stat" || file == "memory.numa_stat") {
    return CallKind::kFlush;
  }
  if (file == "cgroup.procs" || file == "pids.max") {
    return CallKind::kKill;
  }
  // "[timerfd]": what woke the thread.
  return file.empty() || file.starts_with('[') ? CallKind::kOther : CallKind::kRead;
}

bool is_reading(CallKind kind) {
  return kind == CallKind::kRefresh || kind == CallKind::kFlush || kind == CallKind::kRead;
}

/// The parts of a trace, as indexes of calls.
struct Parts {
  std::size_t first_reading = 0;
  std::size_t last_refresh = 0;
  std::size_t first_kill = 0;
  std::size_t last = 0;
};

std::optional<Parts> parts_of(const std::vector<HotCall>& calls) {
  const auto refresh = std::find_if(calls.rbegin(), calls.rend(), [](const HotCall& call) {
    return call.kind == CallKind::kRefresh;
  });
  if (refresh == calls.rend() || refresh == calls.rbegin()) {
    return std::nullopt;
  }
  Parts parts;
  parts.last = calls.size() - 1;
  parts.last_refresh = static_cast<std::size_t>(calls.rend() - refresh) - 1;
  // An earlier pass, a rehearsal, is parted from this one by a wait or by what it prepared.
  parts.first_reading = parts.last_refresh;
  while (parts.first_reading > 0 && is_reading(calls[parts.first_reading - 1].kind)) {
    --parts.first_reading;
  }
  const auto kill = std::find_if(refresh.base(), calls.end(),
                                 [](const HotCall& call) { return call.kind == CallKind::kKill; });
  parts.first_kill = std::min(static_cast<std::size_t>(kill - calls.begin()), parts.last);
  return parts;
}

/// The step of the time between the call before `index` and that one.
Step step_before(const Parts& parts, std::size_t index) {
  if (index <= parts.first_reading) {
    return Step::kDrain;
  }
  if (index <= parts.last_refresh) {
    return Step::kRefresh;
  }
  return index <= parts.first_kill ? Step::kRank : Step::kVerify;
}

/// The step of a call that is not the last one.
Step step_in(const Parts& parts, std::size_t index, CallKind kind) {
  if (kind == CallKind::kFlush) {
    return Step::kFlush;
  }
  if (index < parts.first_reading) {
    return kind == CallKind::kWait ? Step::kWake : Step::kDrain;
  }
  if (index <= parts.last_refresh) {
    return Step::kRefresh;
  }
  return index < parts.first_kill ? Step::kRank : Step::kVerify;
}

/// Adds up time that only moves forward.
class StepClock {
 public:
  explicit StepClock(MonoTime start) : at_(start) {}

  void spend_until(MonoTime end, Step step) {
    if (end > at_) {
      times_[static_cast<std::size_t>(step)] += end - at_;
      at_ = end;
    }
  }
  [[nodiscard]] const StepTimes& times() const { return times_; }

 private:
  MonoTime at_;
  StepTimes times_{};
};

}  // namespace

CallKind kind_of(std::int64_t number, std::string_view file) {
  switch (number) {
    case -1:
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
#endif
    case SYS_epoll_pwait:
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
#endif
      return CallKind::kWait;
    case SYS_bpf:
      return CallKind::kRefresh;
    case SYS_read:
    case SYS_pread64:
      return kind_of_read(file);
    case SYS_pwrite64:
    case SYS_fsetxattr:
    case SYS_pidfd_open:
    case SYS_pidfd_send_signal:
      return CallKind::kKill;
    default:
      return CallKind::kOther;
  }
}

const char* name_of(Step step) {
  switch (step) {
    case Step::kWake:
      return "wake";
    case Step::kDrain:
      return "drain";
    case Step::kRefresh:
      return "refresh";
    case Step::kFlush:
      return "flush";
    case Step::kRank:
      return "rank";
    case Step::kVerify:
      return "verify";
    case Step::kSignal:
      return "signal";
    case Step::kReturn:
      return "return";
  }
  return "";
}

std::optional<StepTimes> steps_of(const HotTrace& trace, MonoTime detected) {
  const std::optional<Parts> parts = parts_of(trace.calls);
  if (!parts || trace.calls.back().exit <= detected) {
    return std::nullopt;
  }
  StepClock clock{detected};
  for (std::size_t i = 0; i < parts->last; ++i) {
    const HotCall& call = trace.calls[i];
    clock.spend_until(call.enter, step_before(*parts, i));
    clock.spend_until(call.exit, step_in(*parts, i, call.kind));
  }
  const HotCall& killing = trace.calls[parts->last];
  clock.spend_until(killing.enter, step_before(*parts, parts->last));
  clock.spend_until(trace.sigkill, Step::kSignal);
  clock.spend_until(killing.exit, Step::kReturn);
  return clock.times();
}

}  // namespace evictd::bench
